import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { edited, projectFolder } from '../../packages/kit/index.js';
import { drifts } from './cases.js';

// The other tests of drift take minutes, and so run less often.
t.test('each drift finds the text that it changes', async (t) => {
  for (const { what, edits } of drifts) {
    const texts = new Map<string, string>();
    for (const edit of edits) {
      const text =
        texts.get(edit.file) ?? (edit.old && (await readFile(join(projectFolder, edit.file), 'utf8')));
      t.doesNotThrow(() => texts.set(edit.file, edited(String(text), edit)), what);
    }
  }
});
