/**
 * The formats of strings: those of OpenAPI 3.0.3 ("Data Types"), and those of JSON Schema for dates, times,
 * addresses and names. Each pattern is named after the rule of its grammar.
 */
import { isIPv4, isIPv6 } from 'node:net';

type Check = RegExp | ((text: string) => boolean);

/** The rules `full-date` and `full-time` of RFC 3339, section 5.6. */
const fullDate = /^(\d{4})-(\d\d)-(\d\d)$/;
const fullTime = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;

/** A unit may be left out only at either end (RFC 3339, appendix A). */
const durationTime = 'T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)';
const durationDate = '(?:\\d+Y(?:\\d+M(?:\\d+D)?)?|\\d+M(?:\\d+D)?|\\d+D)';
const duration = new RegExp(`^P(?:${durationDate}(?:${durationTime})?|${durationTime}|\\d+W)$`, 'i');

/** These rules are in RFC 3986, appendix A. */
const percentEncoded = '%[\\da-f]{2}';
const unreservedAndSubDelims = "\\w.~!$&'()*+,;=\\-";
const pchar = `(?:[${unreservedAndSubDelims}:@]|${percentEncoded})`;
const scheme = '[a-z][a-z\\d+.-]*:';
const userinfo = `(?:[${unreservedAndSubDelims}:]|${percentEncoded})*@`;
const ipLiteral = `\\[(?:v[\\da-f]+\\.[${unreservedAndSubDelims}:]+|(?<ipv6>[\\da-f:.]+))\\]`;
/** The same characters make an IPv4 address, so this matches one, too. */
const registeredName = `(?:[${unreservedAndSubDelims}]|${percentEncoded})*`;
const authority = `(?:${userinfo})?(?:${ipLiteral}|${registeredName})(?::\\d*)?`;
const rootless = `${pchar}+(?:/${pchar}*)*`;
const rootlessWithoutColon = `(?:[${unreservedAndSubDelims}@]|${percentEncoded})+(?:/${pchar}*)*`;
const absolute = `/(?:${rootless})?`;
const queryAndFragment = `(?:\\?(?:${pchar}|[/?])*)?(?:#(?:${pchar}|[/?])*)?`;
const uri = new RegExp(
  `^${scheme}(?://${authority}(?:/${pchar}*)*|${absolute}|${rootless}|)${queryAndFragment}$`,
  'i',
);
const relativeReference = new RegExp(
  `^(?://${authority}(?:/${pchar}*)*|${absolute}|${rootlessWithoutColon}|)${queryAndFragment}$`,
  'i',
);

/** A name has labels (RFC 1034, section 3.5), which may begin with a digit (RFC 1123, section 2.1). */
const label = '[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?';
const domain = `${label}(?:\\.${label})*`;
const hostname = new RegExp(`^(?=.{1,253}$)${domain}$`, 'i');

/** These rules are in RFC 5321, section 4.1.2. */
const atom = "[a-z\\d!#$%&'*+/=?^_`{|}~-]+";
const quotedText = '"(?:[ !#-[\\]-~]|\\\\[ -~])*"';
const mailbox = new RegExp(
  `^(?:${atom}(?:\\.${atom})*|${quotedText})@(?:(?=.{1,255}$)${domain}|\\[(?:(?<ipv4>[\\d.]+)|IPv6:(?<ipv6>[\\da-f:.]+))\\])$`,
  'i',
);

const checks = {
  date: isDate,
  time: isTime,
  'date-time': isDateTime,
  duration,
  uri: (text) => matchesWithAddresses(uri, text),
  'uri-reference': (text) => matchesWithAddresses(uri, text) || matchesWithAddresses(relativeReference, text),
  email: (text) => matchesWithAddresses(mailbox, text),
  hostname,
  ipv4: isIPv4,
  ipv6: isIPv6Address,
  /** The form is defined in RFC 4122, section 3. */
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
  /** The alphabet is that of RFC 4648, section 4. */
  byte: /^(?:[a-z\d+/]{4})*(?:[a-z\d+/]{2}==|[a-z\d+/]{3}=)?$/i,
  password: () => true,
  binary: () => true,
} satisfies Record<string, Check>;

/** The checks of the formats that a string may have, by their names. */
export const stringFormats: ReadonlyMap<string, Check> = new Map<string, Check>(Object.entries(checks));

function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = fullDate.exec(text) ?? [];
  // Day 0 of the next month is the last day of this one. Years below 100 would become 19xx, and 2000 is a
  // leap year.
  const lastDay = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= lastDay;
}

function isTime(text: string): boolean {
  const match = fullTime.exec(text);
  if (match === null) return false;
  const [, hour, minute, second, sign, offsetHour = 0, offsetMinute = 0] = match;
  if (second !== '60') return true;
  // A leap second is inserted at 23:59:60 UTC (RFC 3339, section 5.7).
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1);
  const minutesInUtc = Number(hour) * 60 + Number(minute) - offset;
  const minutesOfDay = 24 * 60;
  return (minutesInUtc + minutesOfDay) % minutesOfDay === minutesOfDay - 1;
}

function isDateTime(text: string): boolean {
  // A third part shows that there is one too many. A text of 64 KiB could have 65,536 of them.
  const [date = '', time = '', ...rest] = text.split(/t/i, 3);
  return rest.length === 0 && isDate(date) && isTime(time);
}

/** Refuses a zone, as in `fe80::1%eth0` (RFC 4007), which Node.js admits: RFC 4291, section 2.2 has none. */
function isIPv6Address(text: string): boolean {
  return isIPv6(text) && !text.includes('%');
}

function matchesWithAddresses(pattern: RegExp, text: string): boolean {
  const match = pattern.exec(text);
  if (match === null) return false;
  const { ipv4, ipv6 } = match.groups ?? {};
  return (ipv4 === undefined || isIPv4(ipv4)) && (ipv6 === undefined || isIPv6Address(ipv6));
}
