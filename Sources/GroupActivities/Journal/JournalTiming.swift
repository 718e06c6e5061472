/// The journal's intervals, rates and sizes.
struct JournalTiming: Hashable, Sendable {
  /// Between two summaries of one participant, in a party of up to ``smallParty``; more in larger ones.
  var summaryInterval = Duration.seconds(2)
  var smallParty = 8
  /// How long somebody who was asked for entries may take before the next is asked.
  var queryTimeout = Duration.seconds(1)
  /// Between two questions for entries.
  var queryInterval = Duration.milliseconds(250)

  /// What everybody fetches without being asked to, in bytes.
  var eagerLimit: Int64 = 1 << 20
  /// What one participant keeps without having asked for it, in bytes in all.
  var eagerKeepLimit: Int64 = 4 << 30
  /// Many don't ask the one who has something at once.
  var eagerDelay = Duration.milliseconds(200)

  /// A request isn't taken for lost before.
  var requestTimeout = Duration.milliseconds(500)
  /// The first one, before anything is known of the path.
  var firstTimeout = Duration.seconds(2)
  /// How long the queue on the path may get through us: as in LEDBAT (RFC 6817), which keeps a bulk
  /// transfer from delaying everything else.
  var queueingTarget = Duration.milliseconds(50)
  /// In pieces: to begin with, and at most, for each holder and in all.
  var initialWindow = 4.0
  var windowLimit = 32.0
  /// How long nobody may have what was asked for before that is an error.
  var unavailableAfter = Duration.seconds(10)

  /// Pieces given to others, in a second and at once: 20 MiB a second.
  var servedPerSecond = 640.0
  var servedBurst = 16.0

  func summaryInterval(participants: Int) -> Duration {
    summaryInterval * max(1, Double(participants) / Double(smallParty))
  }
}
