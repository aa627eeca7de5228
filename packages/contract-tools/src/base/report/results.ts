/** Takes credentials out of a text from outside, and makes it visible in one line. */
export type Safe = (text: string) => string;

/** The results of a tool, in the form from which every reporter makes its own output. */
export interface Results {
  /** The name of the tool in a report, such as `check:contract`. */
  readonly tool: string;
  readonly items: readonly Item[];
  /** Facts that are not faults. */
  readonly remarks: readonly string[];
  /** The last lines: the verdict, and what it rests on. */
  readonly conclusion: readonly string[];
  /**
   * The lines for a person at a terminal.
   *
   * @param safe makes a text from outside fit for one line; each text must pass through it
   */
  readonly text: (safe: Safe) => readonly string[];
  /** The report for a program. Each tool has a form of its own. */
  readonly json: () => object;
}

/** The results whose texts have all passed `Safe`. */
export interface SafeResults extends Pick<Results, 'tool' | 'remarks' | 'conclusion'> {
  readonly items: readonly SafeItem[];
  /** The path of the document from the top of the repository. */
  readonly contract: string;
}

export interface SafeItem extends Item {
  /** The place for programs; undefined if it is not a line of a file that is here. */
  readonly at: FilePlace | undefined;
}

/** One thing that was tried, or found. */
export interface Item {
  /** The operation, or what else of the document it belongs to. */
  readonly operation: string;
  /** Its name among the items of the operation. */
  readonly title: string;
  /**
   * The place, such as `openapi/plants.yaml:12:3`. A thing that was removed has its place in the old
   * document: `main:openapi/plants.yaml:12:3`.
   */
  readonly place: string;
  readonly seconds: number;
  readonly verdict: 'passed' | 'noted' | 'failed';
  /** The kind of the item, which a page explains: `response-property-removed`. */
  readonly rule: string;
  /** The findings of this item; a passed item has none. */
  readonly message: string;
  /** Lines that show it. */
  readonly details: readonly string[];
  /** Items of one cause. Reports for people show only the first of them. */
  readonly cause?: string | undefined;
  /** The heading under which Markdown lists it. A passed item is not listed. */
  readonly heading: string;
}

/** Leaves out the items whose cause an earlier one has. */
export function firstOfCause(items: readonly SafeItem[]): SafeItem[] {
  const seen = new Set<string>();
  return items.filter(({ cause }) => {
    const isNew = cause === undefined || !seen.has(cause);
    if (cause !== undefined) seen.add(cause);
    return isNew;
  });
}

/** A line of a file that is here. */
interface FilePlace {
  /** The path from the top of the repository. */
  readonly file: string;
  readonly line: string;
  readonly column: string;
}

/**
 * @param named gives the path of a file from the top of the repository
 * @returns the parts of a place; undefined if it is not a line of a file that is here, but of a commit
 */
export function filePlace(place: string, named: (file: string) => string): FilePlace | undefined {
  const [, file, line, column] = /^([^:]+):(\d+):(\d+)$/.exec(place) ?? [];
  return file === undefined || line === undefined || column === undefined
    ? undefined
    : { file: named(file), line, column };
}
