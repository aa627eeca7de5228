/**
 * Invoices take time: a run says how far it is, and in the end where the invoice is. It goes on by one state each time
 * that somebody looks at it, so that a client sees each of its states, however slow the machine is.
 */
import { randomUUID } from 'node:crypto';
import type { Answered, Asked, Route } from '../plain/server.js';
import { isMembers } from '../plain/values.js';
import { find, type Run, type Store } from './store.js';

/** A duration in whole seconds: RFC 9110, section 10.2.3. */
const retryAfter = '1';

export function invoiceRoutes(store: Store): readonly Route[] {
  const begin = ({ owner, path }: Asked): Answered => {
    const job = find(store.jobs, path['jobId'], owner, store.has('another owner has a job invoiced'));
    const run = { owner, id: randomUUID(), invoiceId: randomUUID(), looks: 0 };
    store.runs.set(run.id, run);
    const price = job.members['price'];
    const { cents, currency } = isMembers(price) ? price : { cents: 0, currency: 'EUR' };
    const invoice = { id: run.invoiceId, jobId: job.members['id'], cents };
    const members = store.has('an invoice has no currency') ? invoice : { ...invoice, currency };
    if (!store.has('the invoice of a run is not there'))
      store.invoices.set(run.invoiceId, { owner, members });
    const location = store.has('the Location of a run leads nowhere')
      ? `/jobs/${job.members['id']}/runs/${run.id}`
      : `/runs/${run.id}`;
    const headers: Record<string, string> = store.has('the 202 has no Retry-After')
      ? { location }
      : { location, 'retry-after': retryAfter };
    return { status: 202, headers, body: { id: run.id, state: 'queued' } };
  };

  const getRun = ({ owner, path }: Asked): Answered => {
    const run = find(store.runs, path['runId'], owner);
    const state = stateOf(run);
    if (state === 'done')
      return { status: 200, body: { id: run.id, state, invoice: `/invoices/${run.invoiceId}` } };
    return { status: 200, headers: { 'retry-after': retryAfter }, body: { id: run.id, state } };
  };

  const stateOf = (run: Run): string => {
    const look = run.looks++;
    const running = store.has('a run that is on its way has a state of its own') ? 'rendering' : 'running';
    if (store.has('a run never ends')) return running;
    if (store.has('a run is done, and later it runs again')) return look === 2 ? 'done' : running;
    return ['queued', running][look] ?? 'done';
  };

  const getInvoice = ({ owner, path }: Asked): Answered => ({
    status: 200,
    body: find(store.invoices, path['invoiceId'], owner, owner === '').members,
  });

  return [
    { operation: 'invoiceJob', method: 'POST', path: '/jobs/{jobId}/invoice', answer: begin },
    { operation: 'getRun', method: 'GET', path: '/runs/{runId}', answer: getRun },
    { operation: 'getInvoice', method: 'GET', path: '/invoices/{invoiceId}', answer: getInvoice },
  ];
}
