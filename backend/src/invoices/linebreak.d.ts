declare module 'linebreak' {
  /** Finds where a line may be broken (Unicode Standard Annex #14). */
  export default class LineBreaker {
    constructor(text: string);
    nextBreak(): { position: number; required: boolean } | null;
  }
}
