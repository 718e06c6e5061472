import Timekeeping

/// The times and limits of paths. The article “Packets and checks” states them.
enum PathTiming {
  /// The shortest interval between two checks of this machine.
  static let pace = Duration.milliseconds(20)
  /// The intervals between the checks of one pair in a burst.
  static let backOff: [Duration] = [
    .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800),
  ]
  /// The duration of a burst.
  static let burst = Duration.seconds(2)
  /// The pauses after the bursts; the last one is repeated.
  static let pauses: [Duration] = [
    .seconds(5), .seconds(15), .seconds(15), .seconds(15), .seconds(60),
  ]
  /// The number of additional checks after the first answer, and their shortest interval.
  static let additionalChecks = 3
  static let additionalInterval = Duration.milliseconds(50)
  /// The interval of checks on a pair that was answered while no pair is chosen yet, and the time after which they
  /// end.
  static let waitingInterval = Duration.milliseconds(250)
  static let waitingTime = Duration.seconds(5)
  /// The shortest interval between two checks of a pair that the other end's packets cause.
  static let triggerInterval = Duration.milliseconds(50)

  /// The interval of checks on an open path, and the shorter one while datagrams flow.
  static let keepAlive = Duration.seconds(15)
  static let activeKeepAlive = Duration.milliseconds(1500)
  /// The time after a datagram during which datagrams count as flowing.
  static let activity = Duration.seconds(10)
  /// The interval of checks on an open path after one wasn't answered.
  static let doubtfulInterval = Duration.milliseconds(300)
  /// The time without an answer after which other pairs are checked too.
  static let doubt = Duration.seconds(1)
  /// The time without an answer after which the path is lost.
  static let loss = Duration.milliseconds(3500)
  /// The time after an answer during which datagrams from an address are accepted though it isn't the chosen one.
  static let acceptance = Duration.seconds(10)
  /// The change of an open path's round trip that is reported: more than this, and more than a quarter.
  static let roundTripChange = Duration.milliseconds(1)
  /// The time in which an answer counts.
  static let answer = Duration.seconds(4)

  /// The greatest number of participants.
  static let peerLimit = 32
  /// The greatest number of addresses of one participant that come from its packets alone.
  static let reflexiveLimit = 8
  /// The greatest number of unanswered checks of one pair whose answers still count.
  static let outstandingLimit = 12

  /// The checks that one address may get before it has answered one: at once, and a second in the long run.
  static let addressAllowance = (burst: 40, perSecond: 1.0)
  /// The checks that all such addresses may get together.
  static let totalAllowance = (burst: 400, perSecond: 20.0)
  /// The checks that all such addresses of one participant may get together, so that its claims leave room for others'.
  static let participantAllowance = (burst: 100, perSecond: 5.0)
  /// The answers to one participant.
  static let answerAllowance = (burst: 120, perSecond: 60.0)
  /// The checks to new addresses that one participant's packets cause.
  static let triggerAllowance = (burst: 10, perSecond: 5.0)
  /// The greatest number of addresses whose checks are counted one by one.
  static let countedAddressLimit = 512
}
