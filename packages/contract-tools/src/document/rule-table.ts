/**
 * The rules that a line in the file of rules can turn on or off (rules-file.ts): what a run of the check demands
 * beyond OpenAPI and HTTP.
 */

/** These are off, unless the rules of a contract turn them on. */
const houseRules = {
  'undocumented-methods': 'a method that a path does not document is answered 405 with Allow',
  'undocumented-paths': 'a path that is not in the document is answered 404, in the form of all errors',
  head: 'HEAD is answered where GET is; a 405 is right only if undocumented-methods is on',
  'path-case': 'a path in other letters is another path',
  'plain-integers':
    'an integer is ASCII digits without leading zeros, plus, underscores, fraction or exponent',
  'blank-parameters': 'a parameter whose value is empty or blank is refused, and not taken for none',
  calendar: 'a date or a time that no calendar or clock has is refused',
  'unknown-query-parameters': 'a query parameter that nothing names is ignored',
  'unnamed-members': 'a member that an open schema does not name is ignored, and no answer has one',
  'undocumented-bodies': 'an answer has no body if its status documents none',
  'unsent-members':
    'a member that was not sent is absent, null or its documented default, unless the answer must have another value',
  'unmentioned-headers':
    'a header that the document mentions neither as a parameter nor by its status changes nothing: no 206, 304, 406 or 412',
  'documented-refusals': 'a wrong request is answered with the documented status for its fault',
  references: 'a body that refers to what nobody has is refused',
  'owner-ids': 'two owners may use the same id',
  'sent-back': 'what a GET of an item answered is taken as the body of a PUT',
  'deletes-once': 'a DELETE of what is not there is answered as absent',
  'valid-requests-succeed':
    'a valid request does not fail, not even as documented, unless it conflicts with what is there, or names what is not',
  'every-operation': 'every operation answers some valid request with success, as with --require reached',
  'status-in-errors': 'a member that is the status in every example of an error is the status of every error',
  'credentials-first': 'credentials are looked at before anything else',
  'bearer-error-codes': 'a challenge has the error codes of RFC 6750',
  'body-headers':
    'a body of an unknown charset, of a coding, without a media type or of another kind of JSON is refused',
  'well-formed-utf-8': 'a body that is not UTF-8 is refused',
  'strict-json': 'JSON that readers disagree about is refused, and a body that no operation has is ignored',
  'exact-store':
    'a create can be repeated and conflicts with other content, and a list is in the order of the ids, cut at its limit',
  'strict-urls': 'a percent-encoding that is broken, or not UTF-8, is refused',
  'served-document': 'the document at /openapi.json is this one',
} as const;

/** These are on, unless the rules of a contract turn them off. */
export const commonRules = {
  isolation: 'nobody reads, changes, deletes or lists what belongs to another owner',
  pages: 'the pages of a list have every item once, in one order, and keep their limit',
  'media-types': 'a body of a media type that the document does not name is refused',
  conditions: 'a tag changes with the content, and a request with an old one is refused and changes nothing',
  parents: 'nothing is made or listed below a parent that nobody has',
  updates:
    'an update changes what it names: PUT replaces, a refused one changes nothing, readOnly members stay',
  filters: 'a query parameter with the name of a member lets through the items that fit, and no others',
  sorting: 'a query parameter such as sort puts the items in the order of the member that it names',
  totals: 'a length that a list tells agrees with what its pages have',
  'taken-ids':
    'a create whose id is taken is not answered 201 if it has a 409, and changes nothing unless it is answered 200',
  bulk: 'a create of many says in their order what became of each, and that is true',
  retries:
    'a create that is sent again with its Idempotency-Key makes nothing more, and no key is of two owners',
  actions:
    'what an action on an item answers agrees with a GET, and it is no success in a state in which its 409 refuses it',
  files:
    'what was uploaded is downloaded byte for byte with its media type, and is gone when its item is deleted',
  'pending-work':
    'work that a 202 has begun is seen where the answer says, and stays as it is when it is over',
} as const;

export type RuleName = keyof typeof houseRules | keyof typeof commonRules;

/** Each rule with what holds under it. */
export const sentences: Readonly<Record<string, string>> = { ...commonRules, ...houseRules };

/** Each rule with its sentence; those that hold without a line in a file come first. */
export const ruleTable = Object.entries(sentences).map(([name, sentence]) => ({ name, sentence }));

/** The last of the rules that hold without a line. */
export const lastCommonRule = Object.keys(commonRules).at(-1) ?? '';
