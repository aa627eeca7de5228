/**
 * Everything that is tried, in its order. What operations mean together has a table of its own (collections.ts), of which
 * each collection is tried in turn.
 */
import { probeCollections } from './collections.js';
import { probeAllow, probeHead } from './http-methods.js';
import { probeInvalidRequests } from './invalid-requests.js';
import { probeMethodsOnOwnItems, probeOtherMethods, probeOtherPaths } from './methods.js';
import { probePendingWork } from './pending-work.js';
import type { ProbeRun } from './probe-run.js';
import { probeCredentialsFirst, probeGoodCallers, probeStrangers } from './security.js';
import { probeServedDocument } from './served-document.js';
import { probeTransport } from './transport.js';
import type { Row } from './trial.js';
import { probeValidRequests } from './valid-requests.js';

interface Probe extends Pick<Row, 'name' | 'rule'> {
  run(run: ProbeRun): Promise<void>;
}

const ofCredentials: readonly Probe[] = [
  { name: 'Strangers', run: probeStrangers },
  { name: 'Good callers', run: probeGoodCallers },
  { name: 'Credentials before the body', rule: 'credentials-first', run: probeCredentialsFirst },
];
const ofRequests: readonly Probe[] = [
  { name: 'Work that takes time', rule: 'pending-work', run: probePendingWork },
  { name: 'Valid requests', run: probeValidRequests },
  { name: 'Invalid requests', run: probeInvalidRequests },
  { name: 'Bytes, headers and the URL', run: probeTransport },
];

export const probes: Readonly<Record<'most' | 'last', readonly Probe[]>> = {
  most: [
    { name: 'The served document', rule: 'served-document', run: probeServedDocument },
    { name: 'Other methods', rule: 'undocumented-methods', run: probeOtherMethods },
    { name: 'Other paths', run: probeOtherPaths },
    { name: 'Other methods on own items', rule: 'undocumented-methods', run: probeMethodsOnOwnItems },
    { name: 'Allow', run: probeAllow },
    { name: 'HEAD', rule: 'head', run: probeHead },
    ...ofCredentials,
    { name: 'Collections, with few requests', run: (run) => probeCollections(run, 'early') },
    ...ofRequests,
    { name: 'Collections, with their last requests', run: (run) => probeCollections(run, 'late') },
  ],
  /** Operations that may end the credentials are tried when nothing needs these any more. */
  last: [...ofRequests, ...ofCredentials],
};

export async function probe(run: ProbeRun, phase: keyof typeof probes): Promise<void> {
  for (const { rule, run: tried } of probes[phase]) {
    if (rule === undefined || run.description.rules.on.has(rule)) await tried(run);
  }
}
