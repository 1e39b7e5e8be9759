/** The part of the API that the service uses; the package has no types. */
declare module 'compression' {
  import type { RequestHandler } from 'express';

  interface Options {
    /** bytes; smaller responses are not compressed */
    threshold?: number;
  }

  export default function compression(options?: Options): RequestHandler;
}
