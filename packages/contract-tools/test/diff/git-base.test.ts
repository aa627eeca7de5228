import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t, { type Test } from 'tap';
import { inProcess, makeFolder, missing } from '../../../kit/testing.js';
import { diffContract } from '../../src/diff/diff-command.js';
import { program } from '../../src/programs/program.js';

// In a git hook, these variables would point git at the wrong repository.
for (const name of Object.keys(process.env)) if (name.startsWith('GIT_')) delete process.env[name];

function contractWith(version: string, ...paths: readonly string[]): string {
  const items = paths.map(
    (path) =>
      `  ${path}: { get: { operationId: get${path.slice(1)}, responses: { 204: { description: It. } } } }`,
  );
  return ['openapi: 3.0.3', `info: { title: Lists, version: ${version} }`, 'paths:', ...items, ''].join('\n');
}

/**
 * Makes a repository: the branch `main` and the branch `feature`, which is checked out, have parted. `main`
 * has got /gained since, and `feature` has got /added.
 */
function partedBranches(t: Test) {
  // In a copy of the project, the folder of tap is a link.
  const folder = realpathSync(t.testdir({ 'api.yaml': contractWith('1.0.0', '/a', '/b') }));
  const git = (...parameters: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...parameters], {
      cwd: folder,
      stdio: 'pipe',
      encoding: 'utf8',
    }).trim();
  const save = (text: string, file = join(folder, 'api.yaml')) => writeFileSync(file, text);
  const commit = () => {
    git('add', 'api.yaml');
    git('commit', '--quiet', '--no-gpg-sign', '--message=step');
  };
  git('init', '--quiet', '--initial-branch=main');
  commit();
  const parting = git('rev-parse', 'HEAD').slice(0, 12);
  git('checkout', '--quiet', '-b', 'feature');
  save(contractWith('1.1.0', '/a', '/b', '/added'));
  commit();
  git('checkout', '--quiet', 'main');
  save(contractWith('1.1.0', '/a', '/b', '/gained'));
  commit();
  git('checkout', '--quiet', 'feature');
  t.chdir(folder);
  const diff = (base: string, ...more: string[]) =>
    inProcess(t, () =>
      diffContract(['--contract', 'api.yaml', '--base', base, ...more], program('diff-contract')),
    );
  return { folder, git, save, parting, diff };
}

t.test('the base of a comparison in git', { skip: missing('git') }, async (t) => {
  t.test('a branch that has moved on is compared at the merge base, and the report says so', async (t) => {
    const { parting, diff } = partedBranches(t);
    for (const base of ['main', 'main...HEAD', 'main...', 'main...feature']) {
      const { code, out } = await diff(base);
      t.equal(code, 0, base);
      t.match(out, /^compatible api\.yaml:\S+ GET \/added: operation added\. \[operation-added\]$/m);
      t.notMatch(out, 'removed', base);
      const other = base === 'main...feature' ? 'feature' : 'HEAD';
      t.match(
        out,
        new RegExp(
          `^Compared with ${parting}, the last commit that main and ${other} have in common\\.$`,
          'm',
        ),
      );
    }
    const { mergeBase } = JSON.parse((await diff('main', '--reporter', 'json')).out);
    t.match(mergeBase, parting);
    t.match((await diff('main', '--reporter', 'markdown')).out, `Compared with ${parting}`);
  });

  t.test('what this branch removed has its place at the merge base', async (t) => {
    const { parting, save, diff } = partedBranches(t);
    save(contractWith('2.0.0', '/a'));
    t.match(
      (await diff('main')).out,
      new RegExp(`^breaking {3}${parting}:api\\.yaml:5:\\d+ GET /b: operation removed`),
    );
  });

  t.test('a tag is a release that consumers have, and is compared as it is', async (t) => {
    const { git, diff } = partedBranches(t);
    git('tag', 'v1.1.0', 'main');
    const { code, out } = await diff('v1.1.0');
    t.equal(code, 1);
    t.match(out, /^breaking {3}v1\.1\.0:api\.yaml:\S+ GET \/gained: operation removed/);
    t.notMatch(out, 'in common');
  });

  t.test('a file that is called as a branch does not take its place', async (t) => {
    const { folder, git, save, diff } = partedBranches(t);
    git('update-ref', 'refs/remotes/origin/main', 'main');
    const broken = contractWith('1.0.0', '/a');
    save(broken);
    t.equal((await diff('main')).code, 1, '/b is gone');
    execFileSync('mkdir', [join(folder, 'origin')]);
    for (const name of ['main', 'origin/main']) {
      writeFileSync(join(folder, name), broken);
      const { code, out, err } = await diff(name);
      t.strictSame([code, out], [2, ''], name);
      t.match(err, `"${name}" is a git ref and a file: write "./${name}" for the file, or remove the file`);
      t.match(await diff(`./${name}`), { code: 0, out: 'No changes.\n' }, 'the file can still be named');
    }
  });

  t.test('a tag that is called as a branch does not take its place', async (t) => {
    const { git, diff } = partedBranches(t);
    git('tag', 'main', 'HEAD');
    t.match(await diff('main'), {
      code: 2,
      err: /^"main" is refs\/heads\/main and refs\/tags\/main: name one of them in full\./,
    });
    t.equal((await diff('refs/heads/main')).code, 0);
    // git takes a tag before a branch of another repository, too.
    git('update-ref', 'refs/remotes/origin/main', 'main^{commit}');
    git('tag', 'origin/main', 'HEAD');
    t.match(await diff('origin/main'), {
      code: 2,
      err: /refs\/remotes\/origin\/main and refs\/tags|refs\/tags/,
    });
  });

  t.test('if git cannot be asked, a file is taken only if no branch could be called so', async (t) => {
    const { folder, save, diff } = partedBranches(t);
    save(contractWith('1.0.0', '/a'));
    for (const name of ['main', 'old.yaml']) writeFileSync(join(folder, name), contractWith('1.0.0', '/a'));
    const { PATH } = process.env;
    process.env['PATH'] = folder;
    t.teardown(() => {
      process.env['PATH'] = PATH;
    });
    t.match(await diff('main'), { code: 2, err: /git does not say \(git is not installed\).*"\.\/main"/ });
    t.match(await diff('old.yaml'), { code: 0, out: 'No changes.\n' });
    for (const file of ['./main', `../${basename(folder)}/main`])
      t.match(await diff(file), { code: 0, out: 'No changes.\n' });
  });

  t.test('a base that is empty, or has no branch, is refused, and never taken for HEAD', async (t) => {
    const { save, diff } = partedBranches(t);
    save(contractWith('1.0.0', '/a'));
    for (const base of ['', ' ', '...', '...HEAD', '..', 'origin/']) {
      const { code, out, err } = await diff(base);
      t.strictSame([code, out], [2, ''], base);
      t.match(
        err,
        /^--base is (empty|"[^"]+", which names no branch): name a branch.* GITHUB_BASE_REF/,
        base,
      );
    }
  });

  t.test('a clone of the last commit says how to fetch the others', async (t) => {
    const { folder, git, diff } = partedBranches(t);
    git('clone', '--quiet', '--depth=1', '--branch=feature', pathToFileURL(folder).href, 'shallow');
    t.chdir(join(folder, 'shallow'));
    for (const base of ['main', 'origin/main']) {
      const { code, err } = await diff(base);
      t.equal(code, 2, base);
      t.match(
        err,
        /set "fetch-depth: 0" for actions\/checkout, or run "git fetch --unshallow" and "git fetch origin main"/,
      );
    }
    git('-C', 'shallow', 'fetch', '--quiet', '--depth=1', 'origin', 'main:refs/remotes/origin/main');
    t.match(await diff('main'), { code: 2, err: /there is no commit "main": write "origin\/main"/ });
    t.match(await diff('origin/main'), { code: 2, err: /no commit in common here: .*"fetch-depth: 0"/ });
  });

  t.test(
    'a contract that the base does not have, or that is not here, is named as what is missing',
    async (t) => {
      const { save, diff, git } = partedBranches(t);
      git('mv', 'api.yaml', 'new.yaml');
      t.match(await diff('main', '--contract', 'new.yaml'), { code: 2, err: /^"main" has no new\.yaml: / });
      t.match(await diff('main'), { code: 2, err: /ENOENT.*api\.yaml/ });
      save(contractWith('1.1.0', '/a', '/b'));
      t.equal((await diff('main')).code, 0);
    },
  );

  t.test('a hook, a linked worktree, a link and a submodule have the contract of the file', async (t) => {
    const { folder, git, save, diff } = partedBranches(t);
    const told = { code: 0, out: /^compatible \S+\.yaml:\S+ GET \/added: operation added/ };
    git('worktree', 'add', '--quiet', '--detach', 'linked', 'feature');
    execFileSync('ln', ['-s', '../api.yaml', join(folder, 'linked', 'link.yaml')]);
    const standing = [
      ['the main worktree', '.', 'api.yaml', {}],
      ['a folder below the top', 'linked', '../api.yaml', {}],
      ['a linked worktree', 'linked', 'api.yaml', {}],
      // git sets it in the hooks of a linked worktree.
      ['a hook', 'linked', 'api.yaml', { GIT_DIR: join(folder, '.git', 'worktrees', 'linked') }],
      [
        'a hook of another repository',
        '.',
        'linked/api.yaml',
        { GIT_DIR: join(folder, '.git'), GIT_INDEX_FILE: 'a' },
      ],
      ['a link', 'linked', 'link.yaml', {}],
    ] as const;
    for (const [what, place, contract, environment] of standing) {
      t.chdir(join(folder, place));
      Object.assign(process.env, environment);
      t.match(await diff('main', '--contract', contract), told, what);
      for (const name of Object.keys(environment)) delete process.env[name];
    }
    // A work tree whose repository is elsewhere is found by the variables alone.
    t.chdir(await makeFolder(t));
    save(contractWith('1.1.0', '/a', '/b', '/added'), 'api.yaml');
    Object.assign(process.env, { GIT_DIR: join(folder, '.git'), GIT_WORK_TREE: process.cwd() });
    t.match(await diff('main'), told, 'GIT_WORK_TREE');
    for (const name of ['GIT_DIR', 'GIT_WORK_TREE']) delete process.env[name];
  });

  t.test('reports for programs name the file from the top of the repository', async (t) => {
    const { folder, git, diff } = partedBranches(t);
    execFileSync('mkdir', ['-p', join(folder, 'services', 'ferry')]);
    git('mv', 'api.yaml', 'services/ferry/api.yaml');
    git('commit', '--quiet', '--no-gpg-sign', '--message=move');
    writeFileSync(join(folder, 'services', 'ferry', 'api.yaml'), contractWith('1.1.0', '/a', '/b', '/more'));
    t.chdir(join(folder, 'services'));
    const files = ['junit:reports/all.xml', 'sarif:reports/all.sarif', 'markdown:all.md'];
    const { out } = await diff(
      ...(['HEAD', '--contract', 'ferry/api.yaml', '--reporter', 'github'] as const),
      ...files.flatMap((file) => ['--report', file]),
    );
    t.match(out, /^::error file=services\/ferry\/api\.yaml,line=2,/m);
    const [junit, sarif, markdown] = ['reports/all.xml', 'reports/all.sarif', 'all.md'].map((file) =>
      readFileSync(file, 'utf8'),
    );
    t.match(junit, 'file="services/ferry/api.yaml"');
    t.match(sarif, '"uri": "services/ferry/api.yaml"');
    t.match(markdown, /^- \*\*GET \/more\*\* .* \(ferry\/api\.yaml:\d+:\d+\)$/m, 'people stand elsewhere');
    process.env['GITHUB_WORKSPACE'] = join(folder, 'services', 'ferry');
    t.teardown(() => delete process.env['GITHUB_WORKSPACE']);
    t.match(
      (await diff('HEAD', '--contract', 'ferry/api.yaml', '--reporter', 'github')).out,
      'file=api.yaml,',
    );
    for (const [report, reason] of [
      ['junit', /^--report is "junit": write a form and a file/],
      ['xml:a', /^--report is "xml": it must be one of text, json/],
      ['junit:ferry', /^The report ferry cannot be written \(EISDIR/],
    ] as const)
      t.match(await diff('HEAD', '--contract', 'ferry/api.yaml', '--report', report), {
        code: 2,
        err: reason,
      });
  });

  t.test('branches without a common commit are refused, with what to do', async (t) => {
    const { git, diff } = partedBranches(t);
    git('checkout', '--quiet', '--orphan', 'other');
    git('commit', '--quiet', '--no-gpg-sign', '--message=other');
    t.match(await diff('main'), {
      code: 2,
      err: /main and HEAD have no commit in common here: name another branch, or a tag/,
    });
  });
});
