import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Paths of a certificate for localhost and its key. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** Creates a self-signed certificate for localhost with OpenSSL. */
export async function createCertificate(folder: string, name: string): Promise<CertificateFiles> {
  const files = { cert: join(folder, `${name}-cert.pem`), key: join(folder, `${name}-key.pem`) };
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const output = ['-keyout', files.key, '-out', files.cert];
  await promisify(execFile)('openssl', ['req', '-x509', ...kind, ...subject, ...output]);
  return files;
}
