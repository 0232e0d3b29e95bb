/** Each embedded part is started with this. */
export interface EmbeddedPart {
  /** An absolute path without symbolic links. */
  dataDir: string;
  /** Receives one line for each step, for the person who waits. */
  progress: (line: string) => void;
  /** Called each time the part has ended by itself; it is then started again on the same port. */
  onLost: () => void;
}
