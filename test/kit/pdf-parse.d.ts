declare module 'pdf-parse/lib/pdf-parse.js' {
  /** Reads a PDF back: its text, and how many pages it has. */
  export default function pdfParse(bytes: Buffer): Promise<{ text: string; numpages: number }>;
}
