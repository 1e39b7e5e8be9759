/** What the service uses of it; the package has no types of its own. */
declare module 'compression' {
  import type { Request, RequestHandler, Response } from 'express';

  interface Options {
    /** in bytes: shorter answers are sent as they are */
    threshold?: number;
    filter?(req: Request, res: Response): boolean;
  }

  const compression: {
    (options?: Options): RequestHandler;
    /** whether a type of content is worth compressing */
    filter(req: Request, res: Response): boolean;
  };
  export default compression;
}
