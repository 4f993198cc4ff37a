/** One session of the index, and its file. */
export interface SessionRef {
  fileId: number;
  id: string;
  /** As reached through its root. */
  path: string;
  /** Without symbolic links. */
  realPath: string;
  title: string;
}
