import t from 'tap';
import { readCommand } from '../scripts/token-arguments.js';

t.test('what the token command understands', async (t) => {
  t.strictSame(readCommand(['issue', 'ada']), { name: 'issue', owner: 'ada', lifetime: undefined });
  for (const [text, lifetime] of [
    ['1s', 1_000],
    ['2m', 120_000],
    ['3h', 10_800_000],
    ['30d', 2_592_000_000],
    ['36525d', 3_155_760_000_000],
  ] as const) {
    t.strictSame(readCommand(['issue', 'Ada Lovelace ♥', '--expires-in', text]), {
      name: 'issue',
      owner: 'Ada Lovelace ♥',
      lifetime,
    });
  }
  t.strictSame(readCommand(['list']), { name: 'list' });
  t.strictSame(readCommand(['revoke', '7']), { name: 'revoke', id: 7n });
  t.strictSame(readCommand(['revoke', '999999999999999999']), { name: 'revoke', id: 999999999999999999n });
  for (const parameters of [['-h'], ['--help'], ['issue', '--help'], ['nonsense', '-h']]) {
    t.strictSame(readCommand(parameters), { name: 'help' });
  }
});

const wrong: readonly (readonly [sentence: string, ...parameters: string[]])[] = [
  ['Say what to do.'],
  ['"destroy" is none of issue, list and revoke.', 'destroy'],
  ['OWNER must be a name of 1 to 255 printable characters.', 'issue'],
  ['OWNER must be a name of 1 to 255 printable characters.', 'issue', 'a\nb'],
  ['OWNER must be a name of 1 to 255 printable characters.', 'issue', 'x'.repeat(256)],
  ['"lovelace" is one word too many.', 'issue', 'ada', 'lovelace'],
  ['"list" takes no argument.', 'list', 'ada'],
  ['ID must be a number that "list" shows.', 'revoke'],
  ['ID must be a number that "list" shows.', 'revoke', '0'],
  ['ID must be a number that "list" shows.', 'revoke', '1; DROP TABLE plants'],
  ['--expires-in goes with "issue".', 'list', '--expires-in', '1d'],
  [
    '--expires-in must be a number and s, m, h or d, such as 30d, and at most 100 years.',
    'issue',
    'ada',
    '--expires-in',
    '30',
  ],
  [
    '--expires-in must be a number and s, m, h or d, such as 30d, and at most 100 years.',
    'issue',
    'ada',
    '--expires-in',
    '0d',
  ],
  [
    '--expires-in must be a number and s, m, h or d, such as 30d, and at most 100 years.',
    'issue',
    'ada',
    '--expires-in',
    '36526d',
  ],
];

t.test('what it does not', async (t) => {
  for (const [sentence, ...parameters] of wrong) {
    t.throws(() => readCommand(parameters), { name: 'UsageError', message: sentence }, parameters.join(' '));
  }
  t.throws(() => readCommand(['list', '--force']), {
    name: 'UsageError',
    message: /^Unknown option '--force'/,
  });
});
