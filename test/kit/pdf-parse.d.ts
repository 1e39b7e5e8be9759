declare module 'pdf-parse/lib/pdf-parse.js' {
  /** Reads the text, the number of pages and the metadata of a PDF. */
  export default function pdfParse(
    bytes: Buffer,
  ): Promise<{ text: string; numpages: number; info: Record<string, unknown> }>;
}
