/**
 * Texts without quotation marks that readers of YAML disagree about: OpenAPI asks for YAML 1.2, and many
 * readers follow 1.1. docs/contract-traps.md shows this table.
 */
export interface YamlTrap {
  readonly written: string;
  /** What this project's reader `yaml` makes of it, and the others: JSON, or `a date`. */
  readonly read: Readonly<Record<'yaml' | (typeof yamlReaders)[number]['name'], string>>;
  readonly instead: string;
  /** All texts that are read in this way. */
  readonly pattern: RegExp;
}

/** The readers of YAML 1.1 by the names of a line `consumers`, with the names that the page shows. */
export const yamlReaders = [
  { name: 'pyyaml', title: 'PyYAML 6.0' },
  { name: 'psych', title: "Ruby's Psych 4.0" },
] as const;

export const yamlTraps: readonly YamlTrap[] = [
  {
    written: '012',
    read: { yaml: '12', pyyaml: '10', psych: '10' },
    instead: '`12` or `"012"`',
    pattern: /^[-+]?0[0-7_]+$/,
  },
  {
    written: '0o14',
    read: { yaml: '12', pyyaml: '"0o14"', psych: '"0o14"' },
    instead: '`12`',
    pattern: /^0o[0-7]+$/,
  },
  {
    written: '1_000',
    read: { yaml: '"1_000"', pyyaml: '1000', psych: '1000' },
    instead: '`1000`',
    pattern: /^[-+]?[1-9][0-9]*_[0-9_]*$/,
  },
  {
    written: '1e3',
    read: { yaml: '1000', pyyaml: '"1e3"', psych: '"1e3"' },
    instead: '`1000`',
    pattern: /^[-+]?[0-9]+(?:[eE][-+]?|\.[0-9]*[eE])[0-9]+$/,
  },
  {
    written: '12:30',
    read: { yaml: '"12:30"', pyyaml: '750', psych: '45000' },
    instead: '`"12:30"`',
    pattern: /^[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+$/,
  },
  {
    written: 'no',
    read: { yaml: '"no"', pyyaml: 'false', psych: 'false' },
    instead: '`"no"` or `false`',
    pattern: /^(?:yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$/,
  },
  {
    written: 'y',
    read: { yaml: '"y"', pyyaml: '"y"', psych: '"y"' },
    instead: '`"y"`: YAML 1.1 itself says `true`',
    pattern: /^[yYnN]$/,
  },
  {
    written: '2026-11-27',
    read: { yaml: '"2026-11-27"', pyyaml: 'a date', psych: 'a date' },
    instead: '`"2026-11-27"`',
    // A date with a time is read as one only if both are whole.
    pattern:
      /^(?:\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)$/,
  },
  {
    written: '~',
    read: { yaml: 'null', pyyaml: 'null', psych: 'null' },
    instead: '`null`',
    pattern: /^~$/,
  },
];
