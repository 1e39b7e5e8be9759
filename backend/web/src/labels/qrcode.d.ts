declare module 'qrcode' {
  interface Symbol {
    /** `data`: a byte for every module, row by row; 1 is dark */
    modules: { size: number; data: Uint8Array };
  }
  export function create(text: string, options: { errorCorrectionLevel: 'M'; version: number }): Symbol;
}
