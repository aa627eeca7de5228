/**
 * The faults that the server of contracts/repairs.yaml can be started with. Where `breaks` is absent, neither
 * the document nor an RFC says that the server is wrong.
 */
import { everyOperation, type PlainFault } from '../plain/faults.js';

export const repairFaults = {
  // Conditional requests.
  'a stale tag replaces a job': {
    operation: 'replaceJob',
    breaks: 'RFC 9110, section 13.1.1',
  },
  'a replacement needs no tag': {
    operation: 'replaceJob',
    breaks: 'document: 428 without If-Match',
  },
  'the tag stays as it is when the job changes': {
    operation: 'replaceJob',
    breaks: 'RFC 9110, section 8.8.3',
  },
  'If-Match takes the weak form of a tag': {
    operation: 'replaceJob',
    breaks: 'RFC 9110, section 13.1.1',
  },
  'If-Match reads a list of tags as one tag': {
    operation: 'replaceJob',
    breaks: 'RFC 9110, section 13.1.1',
  },
  'If-Match does not know the asterisk': {
    operation: 'replaceJob',
    breaks: 'RFC 9110, section 13.1.1',
  },
  'a tag without its quotes is taken': { operation: 'replaceJob', isMissed: true },
  'a 412 is answered, and the job is replaced': {
    operation: 'replaceJob',
    breaks: 'RFC 9110, section 13.1.1',
  },
  'two writers with one tag both win': {
    operation: 'replaceJob',
    breaks: 'RFC 9110, section 13.1.1',
  },
  'a stale tag removes a job': { operation: 'removeJob', breaks: 'RFC 9110, section 13.1.1' },
  'If-None-Match is ignored': { operation: 'getJob', breaks: 'RFC 9110, section 13.1.2' },
  'a second reader gets a 304 without a condition': {
    operation: 'getJob',
    breaks: 'RFC 9110, section 15.4.5',
  },
  'the tag of the create is not that of the get': {
    operation: 'createJob',
    breaks: 'RFC 9110, section 8.8.3',
  },

  // Jobs live at a path of their own.
  'another owner reads a job': { operation: 'getJob', breaks: 'document: info.description' },
  'another owner replaces a job': {
    operation: 'replaceJob',
    breaks: 'document: info.description',
  },
  'another owner removes a job': {
    operation: 'removeJob',
    breaks: 'document: info.description',
  },
  'another owner lists the jobs of a workshop': {
    operation: 'listJobs',
    breaks: 'document: info.description',
  },
  'another owner adds a job to a workshop': {
    operation: 'createJob',
    breaks: 'document: info.description',
  },
  'another owner has a job invoiced': {
    operation: 'invoiceJob',
    breaks: 'document: info.description',
  },
  'a job is added to a workshop that nobody has': {
    operation: 'createJob',
    breaks: 'document: 404',
  },
  'the Location of a job leads to the job before it': {
    operation: 'createJob',
    breaks: 'RFC 9110, section 15.3.2',
  },
  'the Location of a job leads below its workshop, where nothing is': {
    operation: 'createJob',
    breaks: 'RFC 9110, section 15.3.2',
  },
  'a removed job stays in the list': {
    operation: 'listJobs',
    breaks: 'RFC 9110, section 9.3.5',
  },
  'the jobs of a removed workshop stay': {
    operation: 'removeWorkshop',
    breaks: 'document: removeWorkshop.summary',
    isMissed: true,
  },

  // Replacing, defaults and readOnly members.
  'a replacement keeps what it leaves out': {
    operation: 'replaceJob',
    breaks: 'RFC 9110, section 9.3.4',
  },
  'the number of a new job is taken from the client': {
    operation: 'createJob',
    breaks: 'OpenAPI: readOnly',
  },
  'a replacement takes the number from the client': {
    operation: 'replaceJob',
    breaks: 'OpenAPI: readOnly',
  },
  'the body of a get is refused by a replacement': {
    operation: 'replaceJob',
    breaks: 'document: info.description',
  },
  'the default currency of a price is another one': {
    operation: 'createJob',
    breaks: 'document: default',
  },
  'a new job forgets its contact': { operation: 'createJob', breaks: 'document: createJob' },
  'a replacement makes the job younger': { operation: 'replaceJob', isMissed: true },

  // Lists.
  'the filter by state is ignored': {
    operation: 'listJobs',
    breaks: 'document: state.description',
  },
  'the filter by state loses one that fits': {
    operation: 'listJobs',
    breaks: 'document: state.description',
  },
  'the filter by mechanic is ignored': {
    operation: 'listJobs',
    breaks: 'document: mechanic.description',
  },
  'the total is that of the page': {
    operation: 'listJobs',
    breaks: 'document: total.description',
  },
  'the total does not know the filter': {
    operation: 'listJobs',
    breaks: 'document: total.description',
  },
  'sort is ignored': { operation: 'listJobs', breaks: 'document: sort.description' },
  'sort with a minus begins with the least': {
    operation: 'listJobs',
    breaks: 'document: sort.description',
  },
  'sort puts the page in order, not the whole': {
    operation: 'listJobs',
    breaks: 'document: sort.description',
  },
  'the limit of jobs is ignored': {
    operation: 'listJobs',
    breaks: 'document: limit.description',
  },
  'an offset repeats a job': {
    operation: 'listJobs',
    breaks: 'document: offset.description',
  },

  // Work that takes time.
  'a run never ends': { operation: 'getRun', breaks: 'document: getRun.summary', isMissed: true },
  'a run that is on its way has a state of its own': {
    operation: 'getRun',
    breaks: 'document: Run.state',
  },
  'a run is done, and later it runs again': {
    operation: 'getRun',
    breaks: 'document: getRun.summary',
  },
  'the 202 has no Retry-After': {
    operation: 'invoiceJob',
    breaks: 'document: header required',
  },
  'the Location of a run leads nowhere': {
    operation: 'invoiceJob',
    breaks: 'document: 202.description',
  },
  'the invoice of a run is not there': {
    operation: 'getRun',
    breaks: 'document: getRun 200.description',
  },
  'an invoice has no currency': {
    operation: 'getInvoice',
    breaks: 'document: Invoice.required',
  },

  // HTTP and keys.
  'a 405 has no Allow': { operation: everyOperation, breaks: 'RFC 9110, section 15.5.6' },
  'HEAD is refused': { operation: everyOperation, breaks: 'RFC 9110, section 9.1' },
  'a 204 has a body': { operation: everyOperation, breaks: 'RFC 9110, section 15.3.5' },
  'problems are sent as application/json': {
    operation: everyOperation,
    breaks: 'document: application/problem+json',
  },
  'invoices need no key': { operation: 'getInvoice', breaks: 'document: security' },
  'removing a job needs no key': { operation: 'removeJob', breaks: 'document: security' },
  'the beginning of a key is enough': { operation: everyOperation, breaks: 'document: security' },
  'the 401 has no challenge': { operation: everyOperation, breaks: 'RFC 9110, section 15.5.2' },

  // Bodies.
  'a title may have any length': { operation: 'createJob', breaks: 'document: maxLength' },
  'a kind may be any text': { operation: 'createJob', breaks: 'document: enum' },
  'a date need not be in the calendar': {
    operation: 'createJob',
    breaks: 'document: format',
  },
  'a replacement is not validated': { operation: 'replaceJob', breaks: 'document: Job' },
  'unknown members are taken': { operation: 'createJob', breaks: 'document: additionalProperties' },
} as const satisfies Readonly<Record<string, PlainFault>>;

export type RepairFault = keyof typeof repairFaults;
