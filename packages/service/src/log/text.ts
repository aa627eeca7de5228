const maxCharacters = 1_024;

/** @returns the text of somebody else, cut at 1,024 characters; "…" stands for what is left out */
export function textForLog(text: string): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`;
}
