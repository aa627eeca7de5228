/**
 * Everything that is tried, in its order. What operations mean together has a table of its own (collections.ts), of which
 * each collection is tried in turn.
 */
import type { RuleName } from '../../document/rule-table.js';
import { probeCollections } from './collections.js';
import { probeAllow, probeHead } from './http-methods.js';
import { probeInvalidRequests } from './invalid-requests.js';
import { probeMethodsOnOwnItems, probeOtherMethods, probeOtherPaths } from './methods.js';
import { probePendingWork } from './pending-work.js';
import type { ProbeRun } from './probe-run.js';
import { probeCredentialsFirst, probeGoodCallers, probeStrangers } from './security.js';
import { probeServedDocument } from './served-document.js';
import { probeTransport } from './transport.js';
import { type Row, RowTrial } from './trial.js';
import { probeValidRequests } from './valid-requests.js';

interface Probe extends Row {
  run(trial: RowTrial): Promise<void>;
}

function row(name: string, title: string, run: Probe['run'], rule?: RuleName): Probe {
  return { name, title, run, rule };
}

const others = 'refuses methods that are not documented';
const strangers = 'refuses who has no good credentials, before anything else';
/** Each row of a collection has a title of its own. */
const ofEach = '';

const ofCredentials: readonly Probe[] = [
  row('Strangers', strangers, probeStrangers),
  row('Good callers', 'takes the name of the scheme in any case', probeGoodCallers),
  row('Credentials before the body', strangers, probeCredentialsFirst, 'credentials-first'),
];
const ofRequests: readonly Probe[] = [
  row('Work that takes time', 'ends the work that it has begun', probePendingWork, 'pending-work'),
  row('Valid requests', 'accepts valid requests at the bounds', probeValidRequests),
  row('Invalid requests', 'refuses what does not fit', probeInvalidRequests),
  row('Bytes, headers and the URL', 'takes what HTTP and JSON leave to the sender', probeTransport),
];

export const probes: Readonly<Record<'most' | 'last', readonly Probe[]>> = {
  most: [
    row('The served document', 'serves this document', probeServedDocument, 'served-document'),
    row('Other methods', others, probeOtherMethods, 'undocumented-methods'),
    row('Other paths', 'refuses paths that are not documented', probeOtherPaths),
    row('Other methods on own items', others, probeMethodsOnOwnItems, 'undocumented-methods'),
    row('Allow', 'says in Allow which methods a path has', probeAllow),
    row('HEAD', 'answers HEAD where it answers GET', probeHead, 'head'),
    ...ofCredentials,
    row('Collections, with few requests', ofEach, ({ run }) => probeCollections(run, 'early')),
    ...ofRequests,
    row('Collections, with their last requests', ofEach, ({ run }) => probeCollections(run, 'late')),
  ],
  /** Operations that may end the credentials are tried when nothing needs these any more. */
  last: [...ofRequests, ...ofCredentials],
};

export async function probe(run: ProbeRun, phase: keyof typeof probes): Promise<void> {
  for (const tried of probes[phase]) {
    const trial = new RowTrial({ run, row: tried });
    if (tried.rule === undefined || trial.isOn(tried.rule)) await tried.run(trial);
  }
}
