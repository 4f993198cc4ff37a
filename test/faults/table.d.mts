export interface Row {
  row: string;
  fault: string;
  promise: string;
  /** Why it has no test, or what only another system can show; may be empty. */
  remark: string;
}

export interface NamedTest {
  rows: string[];
  name: string;
  /** Below `test`. */
  file: string;
}

export function readRows(): Row[];
export function readTests(): NamedTest[];
