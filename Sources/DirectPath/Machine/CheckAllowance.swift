import GroupActivities
import STUN
import Timekeeping

/// The limit of checks to addresses that never answered.
///
/// A participant may name any machine's address as its own. Such an address gets a few small packets from each participant,
/// and no more.
struct CheckAllowance: Sendable {
  private var total: RateAllowance
  private var addresses: [SocketAddress: RateAllowance] = [:]

  init(at now: HostTime) {
    total = RateAllowance(
      perSecond: PathTiming.totalAllowance.perSecond,
      burst: Double(PathTiming.totalAllowance.burst),
      at: now)
  }

  /// - Returns: false if no check to the address is allowed now.
  mutating func spend(on remote: SocketAddress, at now: HostTime) -> Bool {
    // All ports of a machine count together.
    let address = remote.with(port: 0)
    if addresses[address] == nil {
      if addresses.count >= PathTiming.countedAddressLimit { forgetRested(at: now) }
      guard addresses.count < PathTiming.countedAddressLimit else { return false }
      addresses[address] = Self.full(at: now)
    }
    guard addresses[address]?.spend(at: now) == true else { return false }
    return total.spend(at: now)
  }

  private static func full(at now: HostTime) -> RateAllowance {
    RateAllowance(
      perSecond: PathTiming.addressAllowance.perSecond,
      burst: Double(PathTiming.addressAllowance.burst), at: now)
  }

  /// Forgets the addresses whose allowance is whole again.
  private mutating func forgetRested(at now: HostTime) {
    addresses = addresses.filter { _, allowance in
      var rest = allowance
      return !rest.spend(PathTiming.addressAllowance.burst, at: now)
    }
  }
}
