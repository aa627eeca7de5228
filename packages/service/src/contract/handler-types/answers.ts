/**
 * The types of the answers that a handler may give, and the sentences for all others.
 *
 * An editor should suggest the documented answers, and the compiler should explain wrong ones. One type
 * cannot do both: if it admits only right answers, TypeScript explains a wrong one in its own words. So
 * `Offers` is what the editor suggests, and admits wrong answers, too; `Checked` looks at the answer that was
 * written, and becomes a sentence if it is wrong.
 */

import type { JsonContent } from './requests.js';
import type { KeyOf, StatusesOf } from './statuses.js';
import type { IsAny, Mismatch, Missing, Nothing } from './value-mismatches.js';

/** Every value. In a union, `unknown` would swallow the other members. */
type Anything = Nothing | null | undefined;

/** An array may also be answered in pages. */
type Whole<Value> = Value extends readonly (infer Item)[] ? Value | AsyncIterable<readonly Item[]> : Value;

/** The documented headers, without the index signature that openapi-typescript adds. */
type DocumentedHeaders<Response> = Response extends { headers: infer Headers }
  ? { [Name in keyof Headers as string extends Name ? never : Name]: Headers[Name] }
  : Nothing;

type RequiredOf<Headers> = {
  [Name in keyof Headers]-?: Nothing extends Pick<Headers, Name> ? never : Name;
}[keyof Headers];

/**
 * The headers that a handler sets. Those that a 408 must have are left out: a request that is too late
 * reaches no handler, so the service itself sets them, in every answer.
 */
type HandlerHeaders<Response, Documented> = Omit<
  DocumentedHeaders<Response>,
  RequiredOf<DocumentedHeaders<Documented[KeyOf<408, Documented>]>>
>;

type Responses<Operation> = Operation extends { responses: infer All } ? All : never;

/** Editors suggest these. `AnswerMismatch` explains all others. */
type Offered<Operation> =
  | {
      [Key in keyof Responses<Operation>]: {
        readonly status: StatusesOf<Key>;
        readonly headers?: HandlerHeaders<Responses<Operation>[Key], Responses<Operation>> | Anything;
        readonly body?: Whole<JsonContent<Responses<Operation>[Key]>> | Anything;
      };
    }[keyof Responses<Operation>]
  | {
      // The documented statuses keep TypeScript from widening 201 to number.
      readonly status: StatusesOf<keyof Responses<Operation>> | (number & Nothing);
      readonly headers?: Anything;
      readonly body?: Anything;
    };

/** The answers that an editor suggests for an operation. */
export type Offers<Operations, Id> = Id extends keyof Operations
  ? Offered<Operations[Id]>
  : { readonly status: number; readonly headers?: Anything; readonly body?: Anything };

/**
 * A sentence if the answer is wrong. TypeScript itself misses excess members unless they stand in a literal.
 */
export type Checked<Answer, Id, Ids, Operations> = NoInfer<
  Id extends Ids & keyof Operations
    ? Unless<AnswerMismatch<Answer, Responses<Operations[Id]>, Id & string>>
    : `The contract has no operation "${Id & string}" here.`
>;

/** Makes a fault an error of the compiler: no answer is assignable to a sentence. */
type Unless<Sentence> = [Sentence] extends [never] ? unknown : Sentence;

type AnswerMismatch<Answer, Documented, Id extends string> = Answer extends { status: infer Status }
  ? Status extends number
    ? number extends Status
      ? `${Id}: the status must be written as a number, so that it can be checked.`
      : [KeyOf<Status, Documented>] extends [never]
        ? `${Id}: the contract does not document the status ${Status}.`
        : DocumentedMismatch<Answer, Documented[KeyOf<Status, Documented>], Documented, `${Id} ${Status}`>
    : never
  : never;

type DocumentedMismatch<Answer, Response, Documented, At extends string> =
  | HeadersMismatch<MemberOf<Answer, 'headers'>, HandlerHeaders<Response, Documented>, At>
  | BodyMismatch<MemberOf<Answer, 'body'>, JsonContent<Response>, At>;

type MemberOf<Object, Name extends string> = Name extends keyof Object ? Object[Name] : undefined;

type HeadersMismatch<Given, Wanted, At extends string> = keyof Wanted extends never
  ? undefined extends Given
    ? never
    : `${At}: the contract documents no headers.`
  : undefined extends Given
    ? {
        [Name in keyof Wanted]-?: Nothing extends Pick<Wanted, Name>
          ? never
          : Missing<`${At}, headers`, Name>;
      }[keyof Wanted]
    : Mismatch<Given, Wanted, `${At}, headers`>;

type BodyMismatch<Given, Wanted, At extends string> = [Wanted] extends [never]
  ? [Given] extends [undefined]
    ? never
    : `${At}: the contract documents no body.`
  : IsAny<Given> extends true
    ? Mismatch<Given, Wanted, `${At}, body`>
    : undefined extends Given
      ? `${At}: the body is missing.`
      : Given extends AsyncIterable<infer Page>
        ? Wanted extends readonly unknown[]
          ? Mismatch<Page, Wanted, `${At}, body`>
          : `${At}, body: only an array can be answered in pages.`
        : Mismatch<Given, Wanted, `${At}, body`>;
