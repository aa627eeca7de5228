import { readFileSync } from 'node:fs';
import { Cluster } from './src/embedded-postgres/cluster.js';
const c = await Cluster.open('/tmp/less-m/data');
await c.start();
const db = await c.connect();
await db.query(`CREATE TABLE IF NOT EXISTS plants (owner text, id bigint, name text NOT NULL, tag text, PRIMARY KEY(owner,id))`);
const n = Number((await db.query('select count(*) c from plants')).rows[0].c);
if (n === 0) { await db.query(`INSERT INTO plants SELECT 'o', i, 'plant '||i, CASE WHEN i%2=0 THEN 'even' END FROM generate_series(1,1000000) i`); await db.query('VACUUM ANALYZE plants'); }
const pid=(await db.query('select pg_backend_pid() p')).rows[0].p; const pgcpu=()=>{const f=readFileSync(`/proc/${pid}/stat`,'utf8').split(' ');return (Number(f[13])+Number(f[14]))*10};
const forms: Record<string,string> = {
  str: `coalesce(string_agg(name::text, U&'\\001f'), '') a, coalesce(string_agg(coalesce(tag::text, U&'\\001e'), U&'\\001f'),'') b, (0+count(tag))::int present`,
  json: `coalesce(json_agg(name::text), '[]')::text a, coalesce(json_agg(tag::text),'[]')::text b`,
  
  strlong: `coalesce(string_agg(name::text, 'abcdefghijkl'), '') a, coalesce(string_agg(coalesce(tag::text, 'abcdefghijkm'), 'abcdefghijkl'),'') b`,
};
const parse: Record<string,(a:string)=>unknown[]> = { str: a=>a.split('\u001f'), json: a=>JSON.parse(a), jsonplain: a=>JSON.parse(a), strlong: a=>a.split('abcdefghijkl') };
for (let round = 0; round < 6; round++)
for (const size of [1600])
for (const [name, cols] of Object.entries(forms)) for (const prep of [true, false]) {
  const text = `SELECT ${cols}, max(id) AS last, count(*)::int AS length FROM (SELECT * FROM (SELECT * FROM plants AS item WHERE item.owner=$1 AND item.id > $2 ORDER BY id LIMIT ${size}) AS head LIMIT (SELECT $3::int)) AS item`;
  let last: any = 0, count = 0, parseMs = 0, items = 0;
  const g0=pgcpu(); const cpu0 = process.cpuUsage(); const t0 = performance.now();
  for (;;) {
    const { rows } = await db.query({ ...(prep && { name: name + size }), text, values: ['o', last, size] });
    const r = rows[0]; if (r.length === 0) break; count += r.length; 
    const p0 = performance.now(); items += parse[name]!(r.a).length; parse[name]!(r.b); parseMs += performance.now() - p0;
    if (r.length < size) break; last = r.last;
  }
  const ms = performance.now() - t0; const cpu = process.cpuUsage(cpu0);
  console.log(round, size, name, prep ? 'prepared' : 'plain', 'total', ms.toFixed(0), 'parse', parseMs.toFixed(0), 'nodecpu', ((cpu.user+cpu.system)/1000).toFixed(0), items, 'pg', pgcpu()-g0);
}
await db.end(); await c.stop();
