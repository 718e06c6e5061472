import Foundation
import NIOSSL
import Synchronization

/// A certificate that is read again once its files have changed, as after a renewal.
package final class RenewedCertificate: Sendable {
  private struct State {
    var certificate: RelayCertificate
    /// The times at which the files were written, as far as they are known.
    var dates: [Date?]
  }

  private let state: Mutex<State>

  package init(_ certificate: RelayCertificate) {
    state = Mutex(State(certificate: certificate, dates: Self.dates(of: certificate)))
  }

  private static func dates(of certificate: RelayCertificate) -> [Date?] {
    [certificate.certificateFile, certificate.keyFile].map { path in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      return attributes?[.modificationDate] as? Date
    }
  }

  /// Returns the context of TLS connections that begin now.
  package var source: @Sendable () -> NIOSSLContext { { self.context } }

  /// The earlier certificate counts while the files can't be read, or don't belong together.
  private var context: NIOSSLContext {
    state.withLock { state in
      let dates = Self.dates(of: state.certificate)
      if dates != state.dates,
        let renewed = try? RelayCertificate(
          certificateFile: state.certificate.certificateFile, keyFile: state.certificate.keyFile)
      {
        state = State(certificate: renewed, dates: dates)
      }
      return state.certificate.context
    }
  }
}
