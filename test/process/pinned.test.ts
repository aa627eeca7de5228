import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { projectFolder, readVersion } from '../../packages/kit/index.js';
import { makeFolder } from '../../packages/kit/testing.js';

/** The files of a folder whose names match, with their texts. */
async function readFiles(folder: string, names: RegExp): Promise<(readonly [file: string, text: string])[]> {
  const all = await readdir(join(projectFolder, folder));
  const files = all.filter((name) => names.test(name)).map((name) => join(folder, name));
  return Promise.all(
    files.map(async (file) => [file, await readFile(join(projectFolder, file), 'utf8')] as const),
  );
}

/** The one job that may write: it makes a release. */
const release = /^ {2}release:\n(?: {4}.*\n)*? {4}permissions:\n {6}contents: write\n(?! {6})/m;

t.test('workflows may only read the repository, and pin each action by its commit', async (t) => {
  const workflows = await readFiles('.github/workflows', /\.ya?ml$/);
  for (const [file, text] of workflows) {
    t.match(text, /^permissions:\n {2}contents: read\n(?! )/m, file);
    const others = file.endsWith('release.yml') ? text.replace(release, '') : text;
    t.notMatch(others, /^ +permissions:/m, `${file}: no other job asks for more`);
  }
  for (const [file, text] of workflows) {
    const checkouts =
      text.match(/uses: actions\/checkout@.*(?:\n +.*)?(?:\n +#.*)?(?:\n +persist-credentials: false)?/g) ??
      [];
    for (const checkout of checkouts)
      t.match(checkout, 'persist-credentials: false', `${file}: no token stays in the checkout`);
  }
  for (const [file, text] of [...workflows, ...(await readFiles('.', /^action\.yml$/))]) {
    const actions = [...text.matchAll(/uses: (.+)/g)].map(([, action]) => action);
    t.not(actions.length, 0, file);
    for (const action of actions)
      t.match(action, /^(?:\.\/.*|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/, file);
  }
});

t.test('the action can be pinned by its commit: it does not ask by which name it was called', async (t) => {
  const [[, text] = ['', '']] = await readFiles('.', /^action\.yml$/);
  t.notMatch(text, /action_ref|github\.ref/i);
  const folder = await makeFolder(t);
  // What the workflow knows: not a tag, only where all releases are. There is none.
  const step = promisify(execFile)(join(projectFolder, 'packages', 'contract-tools', 'action'), [], {
    env: {
      ...process.env,
      ...{ COMMAND: 'diff', BASE: 'old.yaml', CONTRACT: 'new.yaml', REPORTER: 'text', TOOLS: '' },
      RELEASES: pathToFileURL(folder).href,
      RUNNER_TEMP: folder,
    },
  });
  await t.rejects(step, { code: 2, stdout: `in the release v${readVersion()}: ` });
});

t.test('images of others are pinned by version and digest', async (t) => {
  const pinned = /^[\w/]+:[\w.-]+@sha256:[0-9a-f]{64}$/;
  const names = /Dockerfile|docker-compose/;
  for (const [file, text] of [
    ...(await readFiles('.', names)),
    ...(await readFiles('docs/operations', names)),
  ]) {
    const stages = [...text.matchAll(/^FROM .+ AS (\S+)/gm)].map(([, name]) => name);
    const images = [...text.matchAll(/^(?:FROM| *image:) (\S+)/gm)].map(([, image]) => image);
    t.not(images.length, 0, file);
    for (const image of images) {
      // The service's own image is built from this checkout.
      if (image !== 'plant-store' && !stages.includes(image)) t.match(image, pinned, file);
    }
  }
});
