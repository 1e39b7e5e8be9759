declare module 'pdf-parse/lib/pdf-parse.js' {
  /** Reads the text and the number of pages of a PDF. */
  export default function pdfParse(bytes: Buffer): Promise<{ text: string; numpages: number }>;
}
