import { readFileSync } from 'node:fs';
import { spawn, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { Cluster } from './src/embedded-postgres/cluster.js';
const folders = process.argv.slice(2);
const c = await Cluster.open('/tmp/less-m/svc');
await c.start();
const db = await c.connect();
const url = c.url;
const cpuOf = (pid: number) => { const f = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/\(.*\)/, 'x').split(' '); return (Number(f[13]) + Number(f[14])) * 10; };
const env = { ...process.env, DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'silent' };
const token = execFileSync(process.execPath, [`${folders[0]}/dist/src/command-line/plant-store.js`, 'token', 'issue', 'o'], { env, encoding: 'utf8' }).trim();
const n = Number((await db.query('select count(*) c from plants')).rows[0].c);
if (n === 0) { await db.query(`INSERT INTO plants SELECT 'o', i, 'plant '||i, CASE WHEN i%2=0 THEN 'even' END FROM generate_series(1,1000000) i`); await db.query('VACUUM ANALYZE plants'); }
const svcs = [];
for (const f of folders) {
  const child = spawn(process.execPath, [`${f}/dist/src/main.js`], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let out = ''; const ready = new Promise<string>((r) => child.stderr.on('data', (d) => { out += d; const m = /ready at (\S+)/.exec(out); if (m) r(m[1]!); }));
  svcs.push({ f, child, address: await ready, rows: [] as number[][] });
}
const backends = async () => (await db.query(`select pid from pg_stat_activity where backend_type='client backend' and pid<>pg_backend_pid()`)).rows.map((r) => r.pid as number);
for (let round = 0; round < 20; round++) for (const s of svcs) {
  await new Promise(r => setTimeout(r, 100));
  const before = new Map((await backends()).map((p) => [p, cpuOf(p)]));
  const c0 = cpuOf(s.child.pid!); const t0 = performance.now();
  const req = get(`${s.address}/plants`, { headers: { authorization: `Bearer ${token}` } });
  const [res] = await once(req, 'response'); let bytes = 0; for await (const ch of res) bytes += ch.length;
  const ms = performance.now() - t0; const node = cpuOf(s.child.pid!) - c0;
  let pgc = 0; for (const p of await backends()) pgc += cpuOf(p) - (before.get(p) ?? 0);
  if (round > 1) s.rows.push([ms, node, pgc, bytes]);
}
const med = (a: number[]) => a.sort((x, y) => x - y)[a.length >> 1]!;
for (const s of svcs) { console.log(s.f, 'wall', s.rows.map(r => r[0]!.toFixed(0)).join(' '), '| node cpu', med(s.rows.map(r => r[1]!)), '| pg cpu', med(s.rows.map(r => r[2]!)), s.rows[0]![3]); s.child.kill('SIGTERM'); await once(s.child, 'exit'); }
await db.end(); await c.stop();
