/** Thrown when an export or import fails. The message gives the reason. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
}
