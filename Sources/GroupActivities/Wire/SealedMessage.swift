import Timekeeping

/// A message that is sealed with a key that this participant doesn't hold.
struct SealedMessage: Hashable, Sendable {
  var key: ContentKeyID
  var subject: String
  var payload: [UInt8]
  var receivedAt: HostTime
}
