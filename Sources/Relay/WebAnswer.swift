import NIOCore
import NIOHTTP1
import NIOWebSocket

/// An answer to an HTTP request, after which the connection ends.
struct WebAnswer: Hashable, Sendable {
  let status: HTTPResponseStatus
  /// The media type of the body.
  var type = "text/plain; charset=utf-8"
  let body: String

  static let methodNotAllowed = WebAnswer(
    status: .methodNotAllowed, body: "method not allowed; use GET or HEAD\n")

  /// The head of the answer in HTTP/1.1.
  var head: HTTPResponseHead {
    HTTPResponseHead(
      version: .http1_1, status: status,
      headers: [
        "Content-Type": type, "Content-Length": "\(body.utf8.count)", "Allow": "GET, HEAD",
        "Cache-Control": "no-store", "Connection": "close",
      ])
  }
}

/// Answers the first request of a connection as soon as its head has arrived, and closes.
final class WebAnswerHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let answer: (_ path: String) -> WebAnswer
  private var hasAnswered = false

  /// The longest time that a client has to read the answer: a page on a slow line.
  private static let readingTime = TimeAmount.seconds(30)
  /// The longest time that a client has to close after that.
  private static let leavingTime = TimeAmount.seconds(1)

  /// - Parameter answer: answers a request for a path, which has no query.
  init(answer: @escaping (_ path: String) -> WebAnswer) { self.answer = answer }

  /// Answers the head, and drops the rest of the request: closing at once would reset the connection, and with it what
  /// the client hasn't read yet.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(let request) = unwrapInboundIn(data), !hasAnswered else { return }
    hasAnswered = true
    let answer =
      [.GET, .HEAD].contains(request.method)
      ? answer(String(request.uri.prefix { $0 != "?" })) : .methodNotAllowed
    context.write(wrapOutboundOut(.head(answer.head)), promise: nil)
    if request.method != .HEAD {
      context.write(
        wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
      context.close(mode: .output, promise: nil)
      Self.close(context, in: Self.leavingTime)
    }
    Self.close(context, in: Self.readingTime)
  }

  private static func close(_ context: ChannelHandlerContext, in time: TimeAmount) {
    context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A request that only looks like one for a WebSocket follows its error, and is answered.
    guard !(error is NIOWebSocketUpgradeError) else { return }
    context.close(promise: nil)
  }
}

extension ChannelPipeline.SynchronousOperations {
  /// Adds what makes requests of a connection's bytes, and bytes of its answers.
  ///
  /// - Returns: the encoder, and the other handlers.
  @discardableResult
  func addWebCodec(
    position: Position = .last
  ) throws -> (encoder: HTTPResponseEncoder, others: [any RemovableChannelHandler]) {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = 8 << 10
    limits.maxHeaderListSize = 16 << 10
    limits.maxHeaderFieldCount = 64
    let encoder = HTTPResponseEncoder()
    let decoder = ByteToMessageHandler(
      HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits))
    let errors = HTTPServerProtocolErrorHandler()
    try addHandlers([encoder, decoder, errors], position: position)
    return (encoder, [decoder, errors])
  }
}
