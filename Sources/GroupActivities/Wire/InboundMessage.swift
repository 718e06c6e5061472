import Timekeeping

/// An opened and verified message, with the time at which its bytes arrived.
struct InboundMessage: Hashable, Sendable {
  var sender: Participant.ID
  var epoch: UInt64
  var sequence: UInt64
  var message: WireMessage
  var receivedAt: HostTime
  /// The message as it was signed; empty if that isn't needed.
  var original: [UInt8] = []
  /// The approximate size on the wire, in bytes.
  var size = 300
  /// A Boolean value that indicates whether all participants received it.
  var isToAll = false
  /// The arrival of the oldest message that waited with it; nil if none did.
  var waitingSince: HostTime?

  var delivery: Envelope.Delivery { message.delivery }

  /// The memory that the message takes, in bytes, approximately.
  var heldBytes: Int { size + original.count }
}
