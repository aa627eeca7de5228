/**
 * The faults that the server of contracts/exhibits.yaml can be started with. Where `breaks` is absent, neither
 * the document nor an RFC says that the server is wrong.
 */
import { everyOperation, type PlainFault } from '../plain/faults.js';

export const exhibitFaults = {
  // Merge-patch.
  'a patch drops what it does not name': { operation: 'changeExhibit', breaks: 'RFC 7396, section 2' },
  'a null takes nothing away': { operation: 'changeExhibit', breaks: 'RFC 7396, section 2' },
  'a null is stored as null': { operation: 'changeExhibit', breaks: 'RFC 7396, section 2' },
  'a patch of an object replaces it': {
    operation: 'changeExhibit',
    breaks: 'RFC 7396, section 2',
  },
  'a patch of a list adds to it': {
    operation: 'changeExhibit',
    breaks: 'RFC 7396, section 2',
  },
  'a patch is answered, and not stored': {
    operation: 'changeExhibit',
    breaks: 'document: changeExhibit 200',
  },
  'a patch that is refused is half done': {
    operation: 'changeExhibit',
    breaks: 'RFC 5789, section 2',
  },
  'a null for a title is taken': { operation: 'changeExhibit', breaks: 'document: ExhibitPatch' },
  'a patch is taken as application/json': {
    operation: 'changeExhibit',
    breaks: 'document: content',
  },
  'a patch is refused as application/merge-patch+json': {
    operation: 'changeExhibit',
    breaks: 'document: content',
  },

  // Lists with cursors.
  'the cursor skips an exhibit': { operation: 'listExhibits', breaks: 'document: listExhibits.summary' },
  'the cursor repeats an exhibit': { operation: 'listExhibits', breaks: 'document: listExhibits.summary' },
  'the last page has a next one': {
    operation: 'listExhibits',
    breaks: 'document: 200.description',
  },
  'the next page forgets the filter': {
    operation: 'listExhibits',
    breaks: 'RFC 8288, section 3',
  },
  'the next page forgets the limit': { operation: 'listExhibits', isMissed: true },
  'Link has no angle brackets': { operation: 'listExhibits', breaks: 'RFC 8288, section 3' },
  'Link calls the next page "following"': { operation: 'listExhibits', breaks: 'document: 200.description' },
  'the limit of exhibits is ignored': { operation: 'listExhibits', breaks: 'document: limit.description' },
  'the filter by material is ignored': {
    operation: 'listExhibits',
    breaks: 'document: material.description',
  },
  'the filter by onDisplay takes false for true': {
    operation: 'listExhibits',
    breaks: 'document: onDisplay.description',
  },
  'a filter is applied to the page, not to the whole': {
    operation: 'listExhibits',
    breaks: 'document: material.description',
  },
  'the count is that of the page': {
    operation: 'listExhibits',
    breaks: 'document: X-Total-Count',
  },
  'the count is that of all museums': {
    operation: 'listExhibits',
    breaks: 'document: X-Total-Count',
  },
  'exhibits come in the order in which they were added': {
    operation: 'listExhibits',
    breaks: 'document: listExhibits.summary',
    isMissed: true,
  },

  // Ids that are texts.
  'a number is found in any case': {
    operation: 'getExhibit',
    breaks: 'document: inventoryNumber.description',
  },
  'a number with a space is not found': {
    operation: 'getExhibit',
    breaks: 'RFC 3986, section 2.1',
  },
  'a number that is taken is overwritten': {
    operation: 'addExhibit',
    breaks: 'document: 409',
  },
  'a number of another museum is a conflict': {
    operation: 'addExhibit',
    breaks: 'document: info.description',
  },
  'Location is not percent-encoded': {
    operation: 'addExhibit',
    breaks: 'RFC 9110, section 10.2.2',
  },
  'a create has no Location': { operation: 'addExhibit', breaks: 'document: header required' },
  'a removed exhibit stays in the list': { operation: 'listExhibits', breaks: 'RFC 9110, section 9.3.5' },

  // Bulk.
  'an exhibit that failed is told as 201': {
    operation: 'addExhibits',
    breaks: 'document: 207.description',
  },
  'one number that is taken drops all': {
    operation: 'addExhibits',
    breaks: 'document: addExhibits.summary',
  },
  'one number that is taken makes the whole answer a 422': {
    operation: 'addExhibits',
    breaks: 'document: addExhibits.summary',
  },
  'failures are told before successes': {
    operation: 'addExhibits',
    breaks: 'document: 207.description',
  },
  'the last exhibit of a bulk is lost': {
    operation: 'addExhibits',
    breaks: 'document: addExhibits.summary',
  },
  'a bulk overwrites what is there': {
    operation: 'addExhibits',
    breaks: 'document: 207.description',
  },
  'a bulk is not validated': { operation: 'addExhibits', breaks: 'document: NewExhibit' },
  'a bulk may have any length': { operation: 'addExhibits', breaks: 'document: maxItems' },

  // Owners.
  'another museum reads an exhibit': { operation: 'getExhibit', breaks: 'document: info.description' },
  'another museum changes an exhibit': { operation: 'changeExhibit', breaks: 'document: info.description' },
  'another museum removes an exhibit': { operation: 'removeExhibit', breaks: 'document: info.description' },
  'another museum sees the exhibits': { operation: 'listExhibits', breaks: 'document: info.description' },
  'an exhibit stands in a hall of another museum': {
    operation: 'addExhibit',
    breaks: 'document: hall.description',
  },
  'an exhibit stands in a hall that nobody has': {
    operation: 'addExhibit',
    breaks: 'document: hall.description',
  },

  // HTTP.
  'a 405 has no Allow': { operation: everyOperation, breaks: 'RFC 9110, section 15.5.6' },
  'Allow names a method that is refused': {
    operation: everyOperation,
    breaks: 'RFC 9110, section 10.2.1',
  },
  'HEAD is refused': { operation: everyOperation, breaks: 'RFC 9110, section 9.1' },
  'a 204 has a body': { operation: everyOperation, breaks: 'RFC 9110, section 15.3.5' },
  'problems are sent as application/json': {
    operation: everyOperation,
    breaks: 'document: application/problem+json',
  },
  'a hall that is new is a 200': { operation: 'putHall', breaks: 'RFC 9110, section 9.3.4' },
  'a hall that was there is a 201': {
    operation: 'putHall',
    breaks: 'document: 200.description',
  },
  'a hall keeps what its replacement leaves out': {
    operation: 'putHall',
    breaks: 'RFC 9110, section 9.3.4',
  },

  // Credentials.
  'the password may be any': { operation: everyOperation, breaks: 'RFC 7617, section 2' },
  'the password ends at its first colon': { operation: everyOperation, breaks: 'RFC 7617, section 2' },
  'the word Basic must be written so': { operation: everyOperation, breaks: 'RFC 9110, section 11.1' },
  'removing an exhibit needs no credentials': { operation: 'removeExhibit', breaks: 'document: security' },
  'the 401 has no challenge': { operation: everyOperation, breaks: 'RFC 9110, section 15.5.2' },
  'the challenge is that of bearer tokens': {
    operation: everyOperation,
    breaks: 'document: WWW-Authenticate',
  },
  'any token is that of a kiosk': { operation: 'listExhibits', breaks: 'document: security' },
  'the token of a kiosk is refused': {
    operation: 'listExhibits',
    breaks: 'document: security',
  },
  'a kiosk may change exhibits': { operation: 'changeExhibit', breaks: 'document: security' },

  // Bodies.
  'a title may have any length': { operation: 'addExhibit', breaks: 'document: maxLength' },
  'a material may be any text': { operation: 'addExhibit', breaks: 'document: enum' },
  'a year may be a fraction': { operation: 'addExhibit', breaks: 'document: type' },
  'there may be any number of tags': { operation: 'addExhibit', breaks: 'document: maxItems' },
  'unknown members are refused': {
    operation: 'addExhibit',
    breaks: 'document: info.description',
  },
  'unknown members are stored and shown': {
    operation: 'addExhibit',
    breaks: 'document: info.description',
  },
  'an unknown year is absent instead of null': {
    operation: 'addExhibit',
    breaks: 'document: Exhibit.required',
  },
} as const satisfies Readonly<Record<string, PlainFault>>;

export type ExhibitFault = keyof typeof exhibitFaults;
