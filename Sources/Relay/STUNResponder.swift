import STUN
import Timekeeping

/// The answers to binding requests: a participant learns the address from which its packet came.
///
/// It needs no state of a party and keeps none, except for the rates. It answers nothing but well-formed binding
/// requests, and an answer is never longer than its request and one address, so that a forged source yields hardly more
/// traffic than it sends.
struct STUNResponder {
  /// The other port of the server, if there is one.
  var otherAddress: SocketAddress?
  private var origins: [Origin: TokenBucket] = [:]
  /// The origins that asked before those in `origins` began to count.
  private var earlier: [Origin: TokenBucket] = [:]
  private var all: TokenBucket

  /// The requests of one IPv4 address, or of one /64 of IPv6.
  static let originRate = TokenBucket.Rate(perSecond: 10, burst: 50)
  /// The requests of all origins together.
  static let rate = TokenBucket.Rate(perSecond: 2000, burst: 4000)
  /// The number of origins that are counted one by one; twice as many at most are remembered.
  static let originLimit = 4096

  init(otherAddress: SocketAddress?, at now: HostTime) {
    self.otherAddress = otherAddress
    all = TokenBucket(Self.rate, at: now)
  }

  /// Returns the answer to a datagram; nil for none.
  mutating func answer(
    to bytes: [UInt8], from source: SocketAddress, at now: HostTime
  ) -> [UInt8]? {
    guard STUNMessage.isLikely(bytes), let request = STUNMessage(bytes),
      request.kind == .bindingRequest, request.unknownAttributes.isEmpty, isAllowed(source, at: now)
    else { return nil }
    var response = STUNMessage(
      .bindingResponse, request.transaction, mappedAddress: source,
      hasFingerprint: request.hasFingerprint)
    let longest = response.bytes.count
    guard let otherAddress else { return response.bytes }
    response.otherAddress = otherAddress
    let full = response.bytes
    if full.count <= max(longest, bytes.count + Self.addressSize(source)) { return full }
    response.otherAddress = nil
    return response.bytes
  }

  /// The bytes of the attribute that contains an address.
  private static func addressSize(_ address: SocketAddress) -> Int { address.isIPv6 ? 24 : 12 }

  private mutating func isAllowed(_ source: SocketAddress, at now: HostTime) -> Bool {
    let origin = Origin(source)
    if origins[origin] == nil {
      if origins.count >= Self.originLimit {
        earlier = origins
        origins = [:]
      }
      origins[origin] = earlier[origin] ?? TokenBucket(Self.originRate, at: now)
    }
    all.refill(Self.rate, at: now)
    origins[origin]?.refill(Self.originRate, at: now)
    guard !all.isEmpty, origins[origin]?.isEmpty == false else { return false }
    all.spend(1)
    origins[origin]?.spend(1)
    return true
  }
}
