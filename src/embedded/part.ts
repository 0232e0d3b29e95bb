/** What each embedded part is started with. */
export interface EmbeddedPart {
  /** An absolute path without symbolic links. */
  dataDir: string;
  /** Takes one line a step for the person who waits. */
  progress: (line: string) => void;
  /** Told each time the part has died by itself; it is then started again on the same port. */
  onLost: () => void;
}
