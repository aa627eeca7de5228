/** Texts of the formats that hardly any other text fits. */
import fc from 'fast-check';

const instants = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());

export const formatTexts: ReadonlyMap<string, fc.Arbitrary<string>> = new Map([
  ['byte', fc.base64String()],
  ['date', instants.map((text) => text.slice(0, 'yyyy-mm-dd'.length))],
  ['date-time', instants],
  ['duration', fc.nat({ max: 999 }).map((days) => `P${days}D`)],
  ['email', fc.emailAddress()],
  ['hostname', fc.domain()],
  ['ipv4', fc.ipV4()],
  ['ipv6', fc.ipV6()],
  ['time', instants.map((text) => text.slice('yyyy-mm-ddT'.length))],
  ['uri', fc.webUrl()],
  ['uuid', fc.uuid()],
]);
