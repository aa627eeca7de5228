import t from 'tap';
import { stringFormats } from '../../src/schema/formats.js';
import { compileSchema } from '../../src/schema/schema.js';

interface Texts {
  readonly rule: string;
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
}

const labelOf63 = 'a'.repeat(63);
const nameOf253 = [labelOf63, labelOf63, labelOf63, 'a'.repeat(61)].join('.');

const formats: Readonly<Record<string, Texts>> = {
  date: {
    rule: 'RFC 3339, section 5.6',
    valid: ['1963-06-19', '2020-02-29', '2000-02-29', '0004-02-29', '0000-01-01', '9999-12-31'],
    invalid: [
      ...['2021-02-29', '1900-02-29', '0100-02-29', '2020-00-01', '2020-13-01', '2020-01-00', '2020-04-31'],
      ...['06/19/1963', '2013-350', '1998-1-20', '20200101', '1963-06-1৪', '2020-01-01 ', '2020-01-01\n', ''],
    ],
  },
  time: {
    rule: 'RFC 3339, section 5.6, with leap seconds of section 5.7',
    valid: [
      ...['08:30:06Z', '08:30:06z', '23:20:50.52Z', '08:30:06.283185Z', '08:30:06+00:20', '08:30:06-08:00'],
      ...[
        '23:59:60Z',
        '23:59:60+00:00',
        '01:29:60+01:30',
        '23:29:60+23:30',
        '15:59:60-08:00',
        '00:29:60-23:30',
      ],
    ],
    invalid: [
      ...['08:30:06', '08:30:06+01', '08:30:06+0100', '24:00:00Z', '24:59:60Z', '00:60:00Z', '00:00:61Z'],
      ...['22:59:60Z', '23:58:60Z', '23:59:60+01:00', '23:59:60-01:00', '24:59:60+01:00', '01:02:03+24:00'],
      ...['01:02:03+00:60', '8:30:6Z', '12:00:00.Z', '12:00Z', '12:00:00 Z', '1২:00:00Z', ''],
    ],
  },
  'date-time': {
    rule: 'RFC 3339, section 5.6',
    valid: [
      ...['1963-06-19T08:30:06.283185Z', '1963-06-19t08:30:06z', '1990-12-31T15:59:50.123-08:00'],
      ...['1998-12-31T23:59:60Z', '1998-12-31T15:59:60.123-08:00', '1937-01-01T12:00:27.87+00:20'],
      '1985-04-12T00:59:59.999999999999999Z',
    ],
    invalid: [
      ...[
        '1985-04-12T23:20:50+01',
        '2016-12-31T24:59:60+01:00',
        '1985-04-12T24:59:60Z',
        '1998-12-31T23:58:60Z',
      ],
      ...['1990-02-31T15:59:59Z', '1963-06-19 08:30:06Z', '1963-06-19\n08:30:06Z', '1963-06-19T08:30:06'],
      ...['2013-350T01:01:01', '1963-06-19', '1963-06-19T08:30:06ZT', '+11963-06-19T08:30:06Z', ''],
    ],
  },
  duration: {
    rule: 'RFC 3339, appendix A',
    valid: ['P4DT12H30M5S', 'P4Y', 'PT0S', 'P1M', 'PT1M', 'PT36H', 'P1DT12H', 'P2W', 'P1Y2M3DT4H5M6S', 'p1d'],
    invalid: [
      'PT1D',
      '4DT12H',
      'P',
      'P1YT',
      'PT',
      'P1Y2D',
      'PT1H2S',
      'P2D1Y',
      'P1Y2W',
      'P1',
      'P1.5D',
      'P২Y',
      '',
    ],
  },
  uri: {
    rule: 'RFC 3986, appendix A',
    valid: [
      ...[
        'http://example.com',
        'http://example.com/?q=a%20b#f',
        'http://a@b.c:8080/',
        'http://a.b:/',
        'urn:a:b',
      ],
      ...[
        'mailto:a@example.com',
        'ldap://[2001:db8::7]/c=GB?a?b',
        'http://[v1.x:y]/',
        'file:///etc/hosts',
        'a:',
      ],
      ...[
        'http://223.255.255.254',
        "http://-.~_!$&'()*+,;=:%40:80%2f@example.com",
        'tel:+1-816-555-1212',
        'a:/b',
      ],
    ],
    invalid: [
      ...[
        'http://example.com:abc/',
        'http://example.com:abc/path',
        'http://a:1:2/',
        'http:/[::1]',
        '//a.b/c',
      ],
      ...[
        'http://[::ffff:01.2.3.4]',
        'http://[fe80::1%25eth0]/',
        'http://[::1',
        'http://a b/',
        'http://a/%4',
        'a',
      ],
      ...[
        'http://a@b@c/',
        '1a://b',
        '://b',
        'http://a/<>',
        'http://a/"',
        'http://a/é',
        'http://a/#b#c',
        '/a',
        '',
      ],
      ...['http://a/\n', 'http://a/|', 'http://a/[b]', 'http://[1.2.3.4]/', 'a\\b:c'],
    ],
  },
  'uri-reference': {
    rule: 'RFC 3986, section 4.1',
    valid: [
      'http://a/b',
      '//a.b/c?d',
      '/a',
      'a',
      'a/b:c',
      './a:b',
      '',
      '#f',
      '?q',
      '//',
      '///',
      '/a//b',
      'a@b',
    ],
    invalid: [
      ...[
        '1:b',
        '/a"b',
        '/[::1]',
        '//a.b:abc/p',
        '//a@b@c/',
        '//[::ffff:192.168.0.01]/p',
        '\\\\a\\b',
        '#a\\b',
      ],
      ...['a b', '%', '%4g', '#a#b', 'é'],
    ],
  },
  email: {
    rule: 'RFC 5321, section 4.1.2',
    valid: [
      ...['a@example.com', 'te~st+x@example.com', 'a.b@example.com', 'a@localhost', '"a b"@example.com'],
      ...['"a..b"@example.com', '"a@b"@example.com', '"a\\"b"@example.com', 'a@[127.0.0.1]', 'a@[IPv6:::1]'],
    ],
    invalid: [
      ...['a', '@b', 'a@', '.a@b.c', 'a.@b.c', 'a..b@b.c', 'a b@c.d', 'a@b_c', 'a@-b.c', 'a@b-.c', 'a@b..c'],
      ...[
        'a@[127.0.0.300]',
        'a@[::1]',
        'a@[IPv6:fe80::1%eth0]',
        'a@b.c\n',
        '"a"b"@c.d',
        'a@b@c',
        'é@b.c',
        '',
      ],
      `a@${labelOf63}a.b`,
    ],
  },
  hostname: {
    rule: 'RFC 1123, section 2.1',
    valid: ['www.example.com', 'xn--4gbwdl.xn--wgbh1c', '1host', 'a', '1.2.3.4', labelOf63, nameOf253],
    invalid: [
      ...['-a', 'a-', 'a_b', 'a..b', '.a', 'a.', '.', 'a b', 'a\n', 'é', 'a.-b', ''],
      ...[`${labelOf63}a`, `${nameOf253}a`],
    ],
  },
  ipv4: {
    rule: 'RFC 2673, section 3.2',
    valid: ['192.168.0.1', '0.0.0.0', '255.255.255.255', '87.10.0.1'],
    invalid: [
      '127.0.0.0.1',
      '256.1.1.1',
      '127.0',
      '0x7f000001',
      '2130706433',
      '087.10.0.1',
      '1.2.3.4\n',
      '1২7.0.0.1',
    ],
  },
  ipv6: {
    rule: 'RFC 4291, section 2.2',
    valid: [
      '::1',
      '::',
      '::abef',
      '1::d6',
      '1:2:3:4:5:6:7:8',
      '::ffff:192.168.0.1',
      '1:2::192.168.0.1',
      '1::',
    ],
    invalid: [
      ...[
        '12345::',
        '1:1:1:1:1:1:1:1:1',
        '::laptop',
        '1:2:3:4:5:::8',
        '1:2:3:4:5:6:7',
        '::2::',
        ':1',
        'fe80::/64',
      ],
      ...[
        'fe80::1%eth0',
        '::ffff:256.1.1.1',
        '::ffff:01.2.3.4',
        '1:2:3:4:1.2.3',
        '127.0.0.1',
        ' ::1',
        '::1\n',
        '',
      ],
    ],
  },
  uuid: {
    rule: 'RFC 4122, section 3',
    valid: ['2EB8AA08-aa98-11ea-b4aa-73b441d16380', '00000000-0000-0000-0000-000000000000'],
    invalid: [
      ...['urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380', '2eb8aa08-aa98-11ea-b4aa-73b441d1638', ''],
      ...[
        '2eb8aa08aa9811eab4aa73b441d16380',
        '2eb8aa08-aa98-11ea-b4ga-73b441d16380',
        '{2eb8aa08-aa98-11ea-b4aa-73b441d16380}',
      ],
    ],
  },
  byte: {
    rule: 'RFC 4648, section 4',
    valid: ['', 'YQ==', 'YWI=', 'YWJj', '+/+/'],
    invalid: ['YQ', 'YQ=', 'Y', '=', '-_-_', 'YW Jj', '!!!\nYQ==', 'YQ==\n', 'YQ==YQ=='],
  },
  password: { rule: 'any text', valid: ['', 'é\n'], invalid: [] },
  binary: { rule: 'any text', valid: ['', '\0'], invalid: [] },
};

t.test('every format that a contract may use is tested here', async (t) => {
  t.strictSame(Object.keys(formats).sort(), [...stringFormats.keys()].sort());
});

for (const [format, { rule, valid, invalid }] of Object.entries(formats)) {
  t.test(`the format ${format} is ${rule}`, async (t) => {
    const violationOf = compileSchema({ type: 'string', format });
    for (const text of valid) t.equal(violationOf(text), undefined, `valid: ${JSON.stringify(text)}`);
    for (const text of invalid) t.ok(violationOf(text), `invalid: ${JSON.stringify(text)}`);
  });
}
