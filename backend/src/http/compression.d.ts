/** The part of the API that the service uses; the package has no types. */
declare module 'compression' {
  import type { Request, RequestHandler, Response } from 'express';

  interface Options {
    /** bytes; smaller responses are not compressed */
    threshold?: number;
    filter?(req: Request, res: Response): boolean;
  }

  const compression: {
    (options?: Options): RequestHandler;
    /** whether the content type is compressible */
    filter(req: Request, res: Response): boolean;
  };
  export default compression;
}
