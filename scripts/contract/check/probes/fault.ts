import type { RefusalKind } from '../expectations.js';
import type { YamlPath } from '../node.js';
import type { Request } from '../request.js';
import type { RuleName } from '../rules.js';

/** What makes a good request a wrong one. */
export interface Fault {
  /** What is wrong, in words that continue "a request that has". */
  readonly what: string;
  readonly why: string;
  readonly fault: RefusalKind;
  readonly path: YamlPath;
  /** The rule beyond OpenAPI and HTTP that it breaks, if it is one. */
  readonly by?: RuleName | undefined;
  change(request: Request): Request;
}
