import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { digest } from '../../generated/plants.js';
import { readContract } from '../../src/contract/document/document.js';
import { readGenerated } from '../../src/contract/start/generated.js';
import { failurePolicy } from '../../src/http/failure-policy.js';
import { contractFile } from '../../src/project.js';

t.test(
  'the start refuses types that were generated from another document; comments make no difference',
  async (t) => {
    const text = await readFile(contractFile, 'utf8');
    const start = (yaml: string) =>
      readGenerated(join(t.testdir({ 'plants.yaml': yaml }), 'plants.yaml'), digest, failurePolicy);
    const { document, resolved } = await start(`# A comment.\n${text}`);
    const whole = await readContract(contractFile);
    t.strictSame({ document, resolved }, { document: whole.document, resolved: whole.resolved });
    await t.rejects(start(text.replace('summary: Delete a plant', 'summary: Fell a plant')), {
      name: 'ContractError',
      message: /plants\.yaml:\d+:1: generated\/ was made from another document: run "npm run codegen"/,
    });
    await t.rejects(
      start(text.replace('maxLength: 255', 'maxLength: long')),
      /is of the wrong type: write a integer/,
    );
    await t.rejects(
      start(text.replace('minLength: 1', 'format: colour')),
      /nothing checks the format "colour"/,
    );
  },
);
