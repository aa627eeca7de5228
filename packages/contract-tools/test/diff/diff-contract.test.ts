import { execFile, execFileSync } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { parse } from 'yaml';
import { inProcess, missing } from '../../../kit/testing.js';
import { compareContracts } from '../../src/diff/compare.js';
import { diffContract } from '../../src/diff/diff-command.js';
import { versionFault } from '../../src/diff/version.js';
import { readDocument } from '../../src/document/read-document.js';
import { program } from '../../src/programs/program.js';
import { contractPair } from './cases/contract-pair.js';

// In a git hook, these variables would point git at the wrong repository.
for (const name of Object.keys(process.env)) if (name.startsWith('GIT_')) delete process.env[name];

// Slow machines get more time.
t.setTimeout(600_000);

/** The operations of a document as the report names them, with the statuses that they document. */
function operationsOf(yaml: string): { name: string; statuses: string[] }[] {
  const { paths }: { paths: Record<string, Record<string, { responses: object }>> } = parse(yaml);
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { responses }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      statuses: Object.keys(responses),
    })),
  );
}

t.test('diff:contract reports a change in a shared component once per operation', async (t) => {
  const { base, next } = await contractPair({
    name: 'message shortened',
    document: 'plants',
    next: [['set', 'components schemas Error properties message maxLength', 900]],
    verdict: 'compatible',
  });
  const changes = compareContracts(readDocument(base, 'old'), readDocument(next, 'new'));
  t.strictSame(
    changes.map(({ operation, sentence }) => `${operation}: ${sentence}`).sort(),
    operationsOf(base)
      .map(({ name, statuses }) => {
        const failures = statuses.filter((status) => status >= '400');
        return `${name}: response ${failures.join(', ')}: \`message\` maxLength 1000 → 900.`;
      })
      .sort(),
  );
});

t.test('diff:contract requires a version that fits the changes and does not go down', async (t) => {
  const at = async (version: string, edits: Parameters<typeof contractPair>[0]['next'] = []) => {
    const verdict = 'compatible';
    const set = ['set', 'info version', version] as const;
    return readDocument(
      (await contractPair({ name: version, document: 'plants', next: [set, ...edits], verdict })).next,
      version,
    );
  };
  const shorter = ['set', 'components schemas Error properties message maxLength', 900] as const;
  const member = [
    'set',
    'components schemas Plant properties girth',
    { type: 'integer', format: 'int32' },
  ] as const;
  const longer = ['set', 'components schemas Plant properties name maxLength', 9] as const;
  const fault = async (before: string, after: string, ...edits: Parameters<typeof at>[1] & object) => {
    const [base, next] = [await at(before), await at(after, edits)];
    return versionFault(compareContracts(base, next), base, next);
  };
  t.equal(await fault('1.2.3', '1.2.3'), undefined);
  t.equal(await fault('1.2.3', '1.2.2'), 'the version goes down');
  t.equal(await fault('1.2.3', '1.1.9'), 'the version goes down');
  t.equal(await fault('1.2.3', '0.9.9'), 'the version goes down');
  t.equal(await fault('1.2.3', '1.2.3', shorter), 'raise the patch version');
  t.equal(await fault('1.2.3', '1.2.4', shorter), undefined);
  t.equal(await fault('1.2.3', '1.2.4', member), 'raise the minor version');
  t.equal(await fault('1.2.3', '1.3.0', member, shorter), undefined);
  t.equal(await fault('1.2.3', '1.3.0', longer), 'raise the major version');
  t.equal(await fault('1.2.3', '2.0.0', longer, member), undefined);
  t.equal(await fault('1.9.9', '2.0.0', longer), undefined);
  t.equal(await fault('9.0.0', '10.0.0', longer), undefined, 'numbers, not texts');
  t.equal(await fault('0.9.0', '1.0.0', longer), undefined);
  t.equal(await fault('0.1.0', '0.2.0', longer), 'raise the major version', '0.x is no exception');
  t.equal(await fault('2.0.0', '1.0.0', longer), 'the version goes down');
  t.equal(await fault('1.0.0', 'next', longer), 'raise the major version, as MAJOR.MINOR.PATCH');
  const fewer = ['set', 'components schemas Error properties message enum', ['added']] as const;
  t.equal(await fault('1.2.3', '1.2.4', fewer), undefined, 'a value called "added" is not something added');
  t.equal(await fault('1.2.3', 'next', shorter), 'raise the patch version, as MAJOR.MINOR.PATCH');
  const anonymous = ['set', 'security', [{ bearerAuth: [] }, {}]] as const;
  t.equal(await fault('1.2.3', '1.2.4', anonymous), 'raise the minor version', 'a further way in');
});

t.test('the command diff:contract', { skip: missing('git') }, async (t) => {
  const { base } = await contractPair({ name: 'base', document: 'plants', verdict: 'none' });
  const written = t.testdir({
    openapi: { 'plants.yaml': base },
    'broken.yaml': 'openapi: [',
    'text.yaml': 'a: b',
  });
  // In a copy of the project, the folder of tap is a link.
  const folder = realpathSync(written);
  const file = join(folder, 'openapi', 'plants.yaml');
  const git = (...parameters: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...parameters], {
      cwd: folder,
      stdio: 'pipe',
    });
  git('init', '--quiet', '--initial-branch=main');
  git('add', 'openapi');
  git('commit', '--quiet', '--no-gpg-sign', '--message=base');
  const save = (from: string | RegExp, to: string) => writeFileSync(file, base.replace(from, to));
  t.chdir(folder);
  const command = (...parameters: string[]) =>
    inProcess(t, () => diffContract(parameters, program('diff-contract')));
  const run = (...parameters: string[]) => command('--contract', file, ...parameters);

  t.test('diff:contract exits 0 if nothing changed', async (t) => {
    t.strictSame(await run('--base', 'main'), { code: 0, out: 'No changes.\n', err: '' });
  });
  t.test('diff:contract accepts a compatible change with a higher patch version only', async (t) => {
    save('maximum: 60', 'maximum: 59');
    const { code, out } = await run('--base', 'main');
    t.equal(code, 1);
    t.match(
      out,
      new RegExp(
        `^compatible openapi/plants\\.yaml:\\d+:\\d+ in ${operationsOf(base).length} operations .*: maximum 60 → 59\\. `,
        'm',
      ),
    );
    const changes = '1 change, 0 breaking';
    const version = / raise the patch version \(.+: it is still 1\.0\.0\)\.\n$/;
    t.match(out, new RegExp(`\\n${changes}:${version.source}`));
    writeFileSync(
      file,
      base.replace('maximum: 60', 'maximum: 59').replace('version: 1.0.0', 'version: 1.0.1'),
    );
    const raised = await run('--base', 'main');
    t.equal(raised.code, 0);
    t.match(raised.out, new RegExp(`\\n${changes}\\.\\n$`));
  });
  t.test('diff:contract writes JSON, Markdown and GitHub annotations', async (t) => {
    save('bytes: 65536', 'bytes: 4096');
    const sentence = 'request body: limit of bytes 65536 → 4096.';
    const json = await run('--base', 'main', '--reporter', 'json');
    t.equal(json.code, 1);
    t.match(JSON.parse(json.out), {
      changes: [
        { breaking: true, operations: ['POST /plants'], sentence, place: /^openapi\/plants\.yaml:\d+:18$/ },
      ],
      version: { before: '1.0.0', after: '1.0.0', fault: 'raise the major version' },
      changelog: [],
    });
    const markdown = await run('--base', 'main', '--reporter', 'markdown');
    t.match(
      markdown.out,
      /^### Breaking\n\n- \*\*POST \/plants\*\* request body: .+ \(openapi\/plants\.yaml:\d+:18\)\n/,
    );
    const github = await run('--base', 'main', '--reporter', 'github');
    t.match(github.out, /^::error file=openapi\/plants\.yaml,line=\d+,col=18::POST \/plants: request body: /);
    t.match(
      github.out,
      /^::error file=openapi\/plants\.yaml,line=9,col=12::info\.version: raise the major version$/m,
    );
    t.match(await run('--base', 'main', '--reporter', 'xml'), {
      code: 2,
      err: /^--reporter is "xml": it must be one of text, json, junit, github, markdown, sarif\. /,
    });
  });
  t.test('diff:contract exits 1 at a breaking change, with its place', async (t) => {
    save('bytes: 65536', 'bytes: 4096');
    const line = base.split('\n').findIndex((text) => text.includes('bytes: 65536')) + 1;
    const { code, out, err } = await run('--base', 'HEAD');
    t.equal(code, 1);
    t.equal(err, '');
    t.equal(
      out,
      [
        `breaking   openapi/plants.yaml:${line}:18 POST /plants: request body: limit of bytes 65536 → 4096. [request-body-limit-decreased]`,
        '1 change, 1 breaking: raise the major version (openapi/plants.yaml:9:12: it is still 1.0.0).',
        '',
      ].join('\n'),
    );
  });
  t.test('diff:contract gives the place in the old contract if something was removed', async (t) => {
    save(/ {10}minLength: 1\n {10}maxLength: 255\n/, '          maxLength: 255\n');
    const { code, out } = await run('--base', 'main');
    t.equal(code, 1);
    t.match(
      out,
      /^breaking {3}main:openapi\/plants\.yaml:\d+:\d+ .*GET \/plants.*: .*minLength 1 → none\. \[response-property-min-length-removed\]$/m,
    );
  });
  t.test('diff:contract exits 0 at a breaking change with a higher major version', async (t) => {
    writeFileSync(
      file,
      base.replace('bytes: 65536', 'bytes: 4096').replace('version: 1.0.0', 'version: 2.0.0'),
    );
    const { code, out } = await run('--base', 'main');
    t.equal(code, 0);
    t.match(out, /1 change, 1 breaking; the major version says so \(1\.0\.0 → 2\.0\.0\)\.\n$/);
  });
  t.test('diff:contract exits 1 if the changelog does not name a changed operation', async (t) => {
    writeFileSync(
      file,
      base.replace('bytes: 65536', 'bytes: 131072').replace('version: 1.0.0', 'version: 1.0.1'),
    );
    const changelog = join(folder, 'CHANGELOG.md');
    writeFileSync(changelog, '# Changelog\n\n## 1.0.1\n\n- `GET /plants`: lists plants.\n');
    const { code, out } = await run('--base', 'main', '--changelog', changelog);
    t.equal(code, 1);
    t.match(out, /^CHANGELOG\.md, section 1\.0\.1, must name `POST \/plants`, which changed\.$/m);
    writeFileSync(changelog, '# Changelog\n\n## 1.0.1\n\n- `POST /plants`: creates plants.\n');
    t.equal((await run('--base', 'main', '--changelog', changelog)).code, 0);

    save('version: 1.0.0', 'version: 1.0.2');
    const renamed = await run('--base', 'main', '--changelog', changelog);
    t.strictSame(renamed, {
      code: 1,
      out: 'No changes.\nCHANGELOG.md must begin with a section "## 1.0.2".\n',
      err: '',
    });
    const absent = await run('--base', 'main', '--changelog', join(folder, 'HISTORY.md'));
    t.equal(absent.code, 2);
    t.match(absent.err, /^The changelog HISTORY\.md cannot be read \(ENOENT.*\): write it/);
  });
  t.test('diff:contract compares with a file instead of a ref', async (t) => {
    save('bytes: 65536', 'bytes: 4096');
    const { code, out } = await command('--base', file, '--contract', file);
    t.strictSame([code, out], [0, 'No changes.\n']);
  });
  t.test('diff:contract exits 2 with one line if it cannot compare', async (t) => {
    save('x', 'x');
    for (const [what, parameters, reason] of [
      ['an unknown ref', ['--base', 'nowhere'], /^"nowhere" is not a file, and git has no contract there: /],
      [
        'a ref that looks like an option',
        ['--base=--help'],
        /^"--help" is not a file, and git has no contract/,
      ],
      ['no base', [], /^--base REF is missing: say what to compare with/],
      ['an unknown option', ['--bass', 'main'], /--bass/],
      ['broken YAML', ['--base', join(folder, 'broken.yaml')], /^broken\.yaml:\d+:\d+: /],
      [
        'a file that is no contract',
        ['--base', join(folder, 'text.yaml')],
        /^text\.yaml:1:1: "openapi" is missing: /,
      ],
      ['no such contract', ['--base', 'main', '--contract', join(folder, 'none.yaml')], /none\.yaml/],
    ] as const) {
      const { code, out, err } = await run(...parameters);
      t.strictSame([code, out], [2, ''], what);
      t.match(err, reason, what);
      t.equal(err.trimEnd().split('\n').length, 1, `${what}: one line`);
    }
  });
  t.test('diff:contract names the versions of OpenAPI, which are no change', async (t) => {
    for (const version of ['3.0.4', '3.1.0', '3.2.0']) {
      save('openapi: 3.0.3', `openapi: ${version}`);
      const { code, out, err } = await run('--base', 'main');
      t.strictSame([code, out, err], [0, `OpenAPI 3.0.3 → ${version}.\nNo changes.\n`, '']);
    }
    const json = await run('--base', 'main', '--reporter', 'json');
    t.match(JSON.parse(json.out), { changes: [], openapi: { before: '3.0.3', after: '3.2.0' } });
  });
  t.test('the command of its own process exits 1 at a breaking change', async (t) => {
    save('bytes: 65536', 'bytes: 4096');
    // It is compiled if this file is.
    const source = join(
      import.meta.dirname,
      '..',
      '..',
      'src',
      'programs',
      `diff-contract${extname(import.meta.filename)}`,
    );
    const options = [...process.execArgv, source, '--contract', file, '--base', 'main'];
    const ended = promisify(execFile)(process.execPath, options, { cwd: folder });
    await t.rejects(ended, {
      code: 1,
      stdout: /^breaking .+: limit of bytes 65536 → 4096\. \[request-body-limit-decreased\]$/m,
      stderr: '',
    });
  });
  t.test('diff:contract --version prints the version of its package', async (t) => {
    t.match(await run('--version'), { code: 0, out: /^\d+\.\d+\.\d+\n$/, err: '' });
  });
  t.test('diff:contract --help prints its usage', async (t) => {
    const { code, out } = await run('--help');
    t.equal(code, 0);
    t.match(out, /^Usage: npx diff-contract --base REF/);
  });
});
