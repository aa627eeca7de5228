/**
 * Reads from the sentences about a documented 409 whether an action is refused in the state that an item has, and from
 * those about the action in which state it ends.
 *
 * Sentences decide only a few cases. "The order is already paid" is about an order that is shown as `paid`. "Takes a draft
 * to placed; an order in any other state answers 409" is about every order but a draft. "It is not open" and "Only open
 * orders can be paid" are about every other state if `open` is the state of a new order. If they name a later state, they
 * are about new orders: "it is not paid" says nothing of an order that is shipped, because that may have been paid before.
 */

interface States {
  /** The state that the item has. */
  readonly now: string;
  /** The state of an item that was just made. */
  readonly atFirst: string;
  /** All states of the document. */
  readonly all: readonly string[];
}

/** Longer texts are cut: what an action refuses is said at their beginning, if anywhere. */
const maxLength = 2_000;

/** @param noun what the sentences call the item, without the end of its plural */
export function isRefusedIn(sentences: string, noun: string, { now, atFirst, all }: States): boolean {
  const text = wordsOf(sentences.slice(0, maxLength));
  const namedIn = (within: string, ...clauses: string[]): string[] => statesIn(within, all, clauses);
  const only = '(?:^|[.;]) only (?!one |an? single |[0-9])([^.,;]*)(?:can|may) ';
  // Short text: it is cut above.
  if (/ 409 otherwise | otherwise [^.;]*409 | any other [^.;]*409 /.test(text)) {
    const taken = namedIn(
      text,
      only,
      ' takes ([^.,;]*?) to ',
      '(?:^|[.;]) an? ([^.,;]*)(?:can|may) [^.,;]*[.;]',
    );
    if (taken.length > 0 && !taken.includes(now)) return true;
  }
  // "Another booking is already confirmed" and "a reader already has an open loan" are not about this item.
  const own = text.split(/(?<=[.;])/).filter((one) => !/ (?:another|different|else|other|others) /.test(one));
  const it = `(?: (?:it|this)|(?<! an?) ${noun.toLowerCase()}\\w*)`;
  const before = `(?:^|[.,;]| (?:and|or)|(?:${it}| (?:that|which))(?: (?:is|are|was|were|has|have|had))?)`;
  const already = `${before} already (?!has |have |had )(?:been )?([^.,;]*)`;
  const list = `(?:${all.map((state) => `${wordsOf(state).trim()} `).join('|')}|, |or |and )+`;
  const behind = `${it} (?:is|was|has been) (${list})already `;
  if (namedIn(own.join(''), already, behind).includes(now)) return true;
  // "It is not cancelled once it has shipped" says nothing of an order that has not.
  const whole = own.filter((one) => !/ (?:after|before|if|once|unless|until|when|while) /.test(one)).join('');
  const not = `(?:(?:^|[.;]|${it} (?:is|was)) (?:not|no longer)|${it} (?:is|was) no)`;
  const wanted = namedIn(whole, only, `${not} ([^.,;]*)`);
  const isTold = now === atFirst || wanted.every((state) => state === atFirst);
  return wanted.length > 0 && isTold && !wanted.includes(now);
}

/** Whether the sentences refuse an action that was just carried out: "a second approval is refused". */
export function isRefusedAgain(sentences: string): boolean {
  const text = wordsOf(sentences.slice(0, maxLength));
  return / second (?:call|request|[a-z]+(?:ation|ission|al)) is (?:also )?(?:refused|answered 409|a conflict) /.test(
    text,
  );
}

/** The states that the sentences name, whatever they say of them. */
export function statesNamedIn(sentences: string, all: readonly string[]): string[] {
  return statesIn(wordsOf(sentences.slice(0, maxLength)), all, ['^(.*)']);
}

/**
 * The states to one of which an action takes an item: `cancelled` if the sentence is "Takes a draft or placed order to
 * cancelled". All states that are named up to the end of the sentence count.
 */
export function statesAfter(sentences: string, all: readonly string[]): string[] {
  const verbs = '(?:takes|moves|changes|turns|sets|marks)';
  return statesIn(wordsOf(sentences.slice(0, maxLength)), all, [
    ` ${verbs} [^.,;]*? (?:to|into|as) ([^.;]*)`,
  ]);
}

function statesIn(text: string, all: readonly string[], clauses: readonly string[]): string[] {
  const found = clauses.flatMap((clause) =>
    Array.from(text.matchAll(new RegExp(clause, 'g')), ([, words = '']) => ` ${words}`),
  );
  return all.filter((state) => found.some((words) => words.includes(wordsOf(state))));
}

/** The words in lower case, with a space around each of them and each mark between them. */
function wordsOf(text: string): string {
  const plain = text.toLowerCase().replaceAll(/n['’]t\b/g, ' not');
  const words = plain.replaceAll(/[.,;]/g, ' $& ').replaceAll(/[^a-z0-9.,;]+/g, ' ');
  return ` ${words.trim()} `;
}
