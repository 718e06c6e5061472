import Screening
import Timekeeping

/// The reactions that are shown over the picture.
struct FloatingReactions: Hashable, Sendable {
  /// The time in which a reaction rises from the bottom to the top.
  static let life = Duration.milliseconds(3200)
  private static let step = Duration.milliseconds(160)
  private static let maximumCount = 12

  struct Float: Hashable, Sendable {
    var entry: ReactionEntry
    var begun: HostTime
    /// The height from 0 at the bottom to 1 at the top.
    var height = 0.0
  }

  private(set) var floats: [Float] = []
  var motion = Reaction.Motion.rise
  private var nextStep: HostTime?

  var nextChange: HostTime? { floats.isEmpty ? nil : nextStep }

  mutating func add(_ entries: some Sequence<ReactionEntry>, at now: HostTime) {
    if motion == .off { return }
    for entry in entries { floats.append(Float(entry: entry, begun: now)) }
    floats = floats.suffix(Self.maximumCount)
    if !floats.isEmpty, nextStep == nil { nextStep = now + Self.step }
  }

  mutating func advance(to now: HostTime) {
    guard let due = nextStep, now >= due else { return }
    floats.removeAll { now - $0.begun >= Self.life }
    if motion == .rise { rise(at: now) }
    nextStep = floats.isEmpty ? nil : now + Self.step
  }

  private mutating func rise(at now: HostTime) {
    for index in floats.indices {
      floats[index].height = (now - floats[index].begun).inSeconds / Self.life.inSeconds
    }
  }
}
