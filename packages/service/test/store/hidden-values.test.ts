import t from 'tap';
import { plantsTable } from '../../../../src/plants/table.js';
import { contractFile } from '../../../kit/index.js';
import { spawnServer, startProgram } from '../../../kit/testing.js';
import { readContract } from '../../../service-tools/index.js';
import { hiddenValues } from '../../src/store/start/hidden-values.js';
import { makeTables, openDatabase } from '../support/postgres/database.js';

const { table } = plantsTable;
/** A member that is called otherwise from now on: ADD instead of RENAME leaves the values where they were. */
const renamedByAdd = `ALTER TABLE ${table} ADD "formerName" text DEFAULT 'x';
  INSERT INTO ${table} (owner, id, name) VALUES ('ada', 1, 'x')`;

t.test('a column with values that belongs to no member is named', async (t) => {
  const contract = await readContract(contractFile);
  const namesIn = async (sql: string, schema = plantsTable) => {
    const database = openDatabase(t, await makeTables(t, sql));
    return hiddenValues(contract, database, [schema]);
  };
  const [sentence = '', ...others] = await namesIn(renamedByAdd);
  t.match(sentence, `The column ${table}.formerName has values`);
  t.strictSame(others, []);
  t.strictSame(await namesIn(''), []);
  t.strictSame(await namesIn(`ALTER TABLE ${table} ADD empty text`), [], 'one without values is not');
  const beside = { ...plantsTable, besideContract: ['formerName'] };
  t.strictSame(await namesIn(renamedByAdd, beside), [], "nor one that is the service's own");
});

t.test('the start names it in a warning, and serves', async (t) => {
  const server = await spawnServer(t, { DATABASE_URL: await makeTables(t, renamedByAdd) });
  t.equal((await server.call('GET', '/ready')).status, 200);
  const warnings = server
    .stdout()
    .split('\n')
    .filter((line) => line.includes('"level":40'));
  t.equal(warnings.length, 1);
  t.match(warnings[0], `${table}.formerName has values`);
});

t.test('check:stored names it, and exits 1', async (t) => {
  const environment = { DATABASE_URL: await makeTables(t, renamedByAdd) };
  const check = startProgram(t, 'scripts/check-stored.ts', [], { environment });
  t.equal(await check.ended, 1);
  t.match(check.stdout(), new RegExp(`^The column ${table}\\.formerName has values`, 'm'));
});
