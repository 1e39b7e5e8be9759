import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export type CertificateFiles = ReturnType<typeof makeCertificate>;

/** Makes a self-signed certificate. @returns its files in the folder */
export function makeCertificate(folder: string, name: string) {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...kind, '-subj', `/CN=${name}`, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
  return { key, cert };
}
