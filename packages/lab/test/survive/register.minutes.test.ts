import t from 'tap';
import { checkRegister, type RegisterOperation } from '../../src/survive/register.js';

const never = Number.POSITIVE_INFINITY;

function create(version: number, begin: number, end: number, changed = true): RegisterOperation {
  return { kind: 'create', version, begin, end, changed };
}

function remove(begin: number, end: number, changed = true): RegisterOperation {
  return { kind: 'delete', version: 0, begin, end, changed };
}

function read(version: number, begin: number, end: number): RegisterOperation {
  return { kind: 'read', version, begin, end, changed: false };
}

const explained: Record<string, RegisterOperation[]> = {
  'one after the other': [create(1, 0, 1), read(1, 2, 3), remove(4, 5), read(0, 6, 7), remove(8, 9, false)],
  'a repeat, and a conflict': [create(1, 0, 1), create(1, 2, 3), create(2, 4, 5, false)],
  'at the same time, the later request first': [create(1, 0, 9, false), create(2, 1, 8), remove(10, 11)],
  'a read may see what is under way, or not': [create(1, 0, 9), read(0, 1, 2), read(1, 3, 4)],
  'an unknown create may have happened': [create(1, 0, never, false), read(1, 5, 6)],
  'or not yet': [create(1, 0, never, false), read(0, 5, 6), read(1, 7, 8)],
  'or never': [create(1, 0, never, false), create(2, 1, 2), remove(3, 4), read(0, 5, 6)],
  'an unknown delete may come late': [create(1, 0, 1), remove(2, never, false), read(1, 3, 4), read(0, 5, 6)],
  'deleted and created again between two reads': [
    create(1, 0, 1),
    read(1, 2, 3),
    remove(2, 5),
    create(2, 4, 6),
    read(2, 7, 8),
  ],
};

const contradicted: Record<string, { operations: RegisterOperation[]; by: number }> = {
  'an acknowledged create is not there': { operations: [create(1, 0, 1), read(0, 2, 3)], by: 1 },
  'it was there, and is not any more': { operations: [create(1, 0, 1), read(1, 2, 3), read(0, 4, 5)], by: 2 },
  'an acknowledged create cannot be deleted': { operations: [create(1, 0, 1), remove(2, 3, false)], by: 1 },
  'another content takes its place': { operations: [create(1, 0, 1), create(2, 2, 3)], by: 1 },
  'a deleted plant is there again': { operations: [create(1, 0, 1), remove(2, 3), read(1, 4, 5)], by: 2 },
  'it is deleted twice': { operations: [create(1, 0, 1), remove(2, 3), remove(4, 5)], by: 2 },
  'a conflict with nothing': { operations: [create(1, 0, 1, false)], by: 0 },
  'a conflict with itself': { operations: [create(1, 0, 1), create(1, 2, 3, false)], by: 1 },
  'an unknown create happens twice': {
    operations: [create(1, 0, never, false), remove(1, 2), read(1, 3, 4)],
    by: 2,
  },
  'a create happens again after its plant was deleted': {
    operations: [create(1, 0, 9), remove(1, 2), read(1, 10, 11)],
    by: 2,
  },
  'two reads see a create come and go': {
    operations: [create(1, 0, 9), read(1, 1, 2), read(0, 3, 4)],
    by: 2,
  },
  'what is seen before it was sent': { operations: [read(1, 0, 1), create(1, 2, 3)], by: 0 },
};

t.test('some order explains it', async (t) => {
  for (const [name, operations] of Object.entries(explained)) {
    t.equal(checkRegister(operations).contradiction, undefined, name);
    t.equal(
      checkRegister(operations.toReversed()).contradiction,
      undefined,
      `${name}, in any order of records`,
    );
  }
});

t.test('no order explains it', async (t) => {
  for (const [name, { operations, by }] of Object.entries(contradicted)) {
    t.equal(checkRegister(operations).contradiction?.operation, operations[by], name);
  }
});

t.test('what a register may hold in the end', async (t) => {
  const possible = (...operations: RegisterOperation[]) => checkRegister(operations).possible.toSorted();
  t.strictSame(possible(create(1, 0, 1)), [1]);
  t.strictSame(possible(create(1, 0, 1), remove(2, never, false)), [0, 1]);
  t.strictSame(possible(create(1, 0, never, false), create(2, 0, never, false)), [0, 1, 2]);
});
