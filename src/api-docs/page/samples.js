// Shows the last request as a program in several languages (docs/clients.md says how they are tested).

/** A string of JavaScript, Python, Go or Java. */
const quoted = (text) => JSON.stringify(text);
/** A string of Ruby or Perl, which would interpolate variables between double quotes. */
const single = (text) => `'${text.replace(/[\\']/g, '\\$&')}'`;
/** A string of Rust. The text must not contain `"##`. */
const raw = (text) => `r##"${text}"##`;

const lines = (...parts) => parts.flat().filter(Boolean).join('\n');

const samples = {
  javascript: ({ method, url, headers, body }) =>
    lines(
      `const answer = await fetch(${quoted(url)}, {`,
      `  method: ${quoted(method)},`,
      `  headers: ${JSON.stringify(Object.fromEntries(headers), undefined, 2).replaceAll('\n', '\n  ')},`,
      body && `  body: ${quoted(body)},`,
      '});',
      'console.log(answer.status, await answer.text());',
    ),

  python: ({ method, url, headers, body }) =>
    lines(
      'import urllib.error, urllib.request',
      '',
      'request = urllib.request.Request(',
      `    ${quoted(url)},`,
      `    method=${quoted(method)},`,
      `    headers={${headers.map((header) => header.map(quoted).join(': ')).join(', ')}},`,
      body && `    data=${quoted(body)}.encode(),`,
      ')',
      'try:',
      '    answer = urllib.request.urlopen(request)',
      'except urllib.error.HTTPError as error:',
      '    answer = error',
      'print(answer.status, answer.read().decode())',
    ),

  go: ({ method, url, headers, body }) =>
    lines(
      'package main',
      '',
      'import (',
      ['fmt', 'io', 'net/http', body && 'strings'].filter(Boolean).map((name) => `\t"${name}"`),
      ')',
      '',
      'func main() {',
      `\trequest, _ := http.NewRequest(${quoted(method)}, ${quoted(url)}, ${body ? `strings.NewReader(${quoted(body)})` : 'nil'})`,
      headers.map((header) => `\trequest.Header.Set(${header.map(quoted).join(', ')})`),
      '\tanswer, err := http.DefaultClient.Do(request)',
      '\tif err != nil {',
      '\t\tpanic(err)',
      '\t}',
      '\tdefer answer.Body.Close()',
      '\ttext, _ := io.ReadAll(answer.Body)',
      '\tfmt.Println(answer.StatusCode, string(text))',
      '}',
    ),

  java: ({ method, url, headers, body }) =>
    lines(
      'import java.net.URI;',
      'import java.net.http.*;',
      '',
      'class Sample {',
      '  public static void main(String[] arguments) throws Exception {',
      `    var request = HttpRequest.newBuilder(URI.create(${quoted(url)}))`,
      headers.map((header) => `        .header(${header.map(quoted).join(', ')})`),
      `        .method(${quoted(method)}, HttpRequest.BodyPublishers.${body ? `ofString(${quoted(body)})` : 'noBody()'})`,
      '        .build();',
      '    var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());',
      '    System.out.println(answer.statusCode() + " " + answer.body());',
      '  }',
      '}',
    ),

  rust: ({ method, url, headers, body }) =>
    lines(
      '// reqwest, with the feature "blocking"',
      'fn main() -> Result<(), reqwest::Error> {',
      '    let answer = reqwest::blocking::Client::new()',
      `        .request(reqwest::Method::${method}, ${raw(url)})`,
      headers.map((header) => `        .header(${header.map(raw).join(', ')})`),
      body && `        .body(${raw(body)})`,
      '        .send()?;',
      '    println!("{} {}", answer.status().as_u16(), answer.text()?);',
      '    Ok(())',
      '}',
    ),

  ruby: ({ method, url, headers, body }) =>
    lines(
      "require 'net/http'",
      '',
      `address = URI(${single(url)})`,
      `headers = { ${headers.map((header) => header.map(single).join(' => ')).join(', ')} }`,
      "answer = Net::HTTP.start(address.host, address.port, use_ssl: address.scheme == 'https') do |http|",
      `  http.send_request(${single(method)}, address.request_uri, ${body ? single(body) : 'nil'}, headers)`,
      'end',
      'puts answer.code, answer.body',
    ),

  perl: ({ method, url, headers, body }) =>
    lines(
      'use strict;',
      'use warnings;',
      'use utf8;',
      'use Encode;',
      'use HTTP::Tiny;',
      '',
      `my $answer = HTTP::Tiny->new->request(${single(method)}, ${single(url)}, {`,
      `  headers => { ${headers.map((header) => header.map(single).join(' => ')).join(', ')} },`,
      body && `  content => encode_utf8(${single(body)}),`,
      '});',
      'print "$answer->{status} $answer->{content}\\n";',
    ),
};

const titles = {
  javascript: 'JavaScript',
  python: 'Python',
  go: 'Go',
  java: 'Java',
  rust: 'Rust',
  ruby: 'Ruby',
  perl: 'Perl',
};

const sampleTitles = { curl_bash: 'curl', curl_powershell: 'curl (PowerShell)', ...titles };

// biome-ignore lint/correctness/noUnusedVariables: docs.js uses it.
const samplesPlugin = () => ({
  fn: Object.fromEntries(
    Object.entries(samples).map(([name, sample]) => [
      `requestSnippetGenerator_${name}`,
      (request) =>
        sample({
          method: request.get('method'),
          url: request.get('url'),
          headers: [...request.get('headers').entries()],
          body: request.get('body'),
        }),
    ]),
  ),
  statePlugins: {
    requestSnippets: {
      wrapSelectors: {
        // The order has to be made, because a large Map of Immutable.js has none.
        getSnippetGenerators: (generators) => (state) =>
          generators(state).sortBy((_, name) => Object.keys(sampleTitles).indexOf(name)),
      },
    },
  },
});

// biome-ignore lint/correctness/noUnusedVariables: docs.js uses it.
const sampleTabs = {
  generators: Object.fromEntries(
    Object.entries(sampleTitles).map(([name, title]) => [
      name,
      { title, syntax: name.replace(/^curl_/, '') },
    ]),
  ),
  languages: Object.keys(sampleTitles),
};
