import Logging

extension Logger {
  /// The logger of the transport. It shows only messages that the user should act on: they appear in the chat. The loss
  /// and return of a connection are events of the party.
  package static var ofTransport: Logger {
    var logger = Logger(label: "matinee.transport")
    logger.logLevel = .warning
    return logger
  }
}
