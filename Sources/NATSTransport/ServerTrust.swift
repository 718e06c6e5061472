import Concurrency
import Foundation
import GroupActivities
import NIOCore
import NIOSSL
import NIOTLS
import Synchronization

/// The means by which servers prove their identity: the settings of TLS, made once for a transport.
package final class ServerTrust: Sendable {
  private let authorities: TrustedCertificates?
  private let made = Mutex<NIOSSLContext?>(nil)

  package init(_ authorities: TrustedCertificates?) { self.authorities = authorities }

  /// Makes the settings for connections on the loop. Reading the system's certificates takes milliseconds that an event
  /// loop doesn't have.
  func context(on loop: any EventLoop) -> EventLoopFuture<NIOSSLContext> {
    if let context = made.withLock({ $0 }) { return loop.makeSucceededFuture(context) }
    let promise = loop.makePromise(of: NIOSSLContext.self)
    OwnedThread.start("nats-tls") { [self] in
      promise.completeWith(
        Result {
          let context = try makeContext()
          made.withLock { $0 = context }
          return context
        })
    }
    return promise.futureResult
  }

  /// Makes the settings, which takes milliseconds.
  package func makeContext() throws -> NIOSSLContext {
    try NIOSSLContext(configuration: configuration)
  }

  /// The settings for servers that are known by their certificate, whatever names are in it. The handler's own check of
  /// the certificate replaces that of a chain.
  static let pinning = Result<NIOSSLContext, any Error> {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    configuration.certificateVerification = .noHostnameVerification
    configuration.trustRoots = .certificates([])
    configuration.shutdownTimeout = .milliseconds(500)
    return try NIOSSLContext(configuration: configuration)
  }

  private var configuration: TLSConfiguration {
    let environment = ProcessInfo.processInfo.environment
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    configuration.certificateVerification = .fullVerification
    // A server that no longer answers keeps its connection for this long.
    configuration.shutdownTimeout = .milliseconds(500)
    if let authorities {
      configuration.trustRoots = .certificates(authorities.authorities)
    } else if let place = ["SSL_CERT_FILE", "SSL_CERT_DIR"].lazy.compactMap({ environment[$0] })
      .first
    {
      // The system's authorities where the usual places don't have them, by the variables of OpenSSL.
      configuration.trustRoots = .file(place)
    }
    return configuration
  }
}

/// The handler behind TLS that names the reason if TLS fails.
final class HandshakeWatch: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let link: Link
  private let handler: NIOSSLClientHandler
  private var isDone = false

  private init(_ handler: NIOSSLClientHandler, of link: Link) {
    self.handler = handler
    self.link = link
  }

  /// Begins TLS on a channel, under everything else, on its event loop.
  static func begin(
    with context: NIOSSLContext, server: ServerAddress, on channel: any Channel, of link: Link
  ) throws {
    // Without a name the certificate has to contain the address that the channel leads to.
    let name = server.hasNumericName ? nil : server.nameToCertify
    let handler =
      if let fingerprint = server.fingerprint {
        try NIOSSLClientHandler(
          context: ServerTrust.pinning.get(), serverHostname: name
        ) { chain, verified in
          let own = try? chain.first?.toDERBytes()
          verified.succeed(
            own.map(CertificateFingerprint.init(ofCertificate:)) == fingerprint
              ? .certificateVerified : .failed)
        }
      } else {
        try NIOSSLClientHandler(context: context, serverHostname: name)
      }
    let watch = HandshakeWatch(handler, of: link)
    try channel.pipeline.syncOperations.addHandlers([handler, watch], position: .first)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent { isDone = true }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    link.end(isDone ? .lost : reason(for: error))
  }

  private func reason(for error: any Error) -> NATSError {
    switch error {
    case let error as NIOSSLExtraError where error == .failedToValidateHostname:
      return .certificate(.otherName)
    case NIOSSLError.unableToValidateCertificate: return .certificate(.otherName)
    case NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])), is IOError: return .lost
    case NIOSSLError.handshakeFailed(let cause):
      // The code's name is all that is public of it.
      guard "\(cause)".contains("CERTIFICATE_VERIFY_FAILED") else { return .tls("\(cause)") }
      let now = time_t(Date().timeIntervalSince1970)
      guard let certificate = handler.peerCertificate else { return .certificate(.unknownSigner) }
      return .certificate(
        certificate.notValidAfter < now
          ? .expired : certificate.notValidBefore > now ? .notValidYet : .unknownSigner)
    default: return .tls("\(error)")
    }
  }
}
