/// The journal's intervals, rates and sizes.
struct JournalTiming: Hashable, Sendable {
  /// The interval between two summaries of one participant, in a party of up to ``smallParty``; longer in
  /// larger ones.
  var summaryInterval = Duration.seconds(2)
  var smallParty = 8
  /// The time that a participant has to answer a query before the next one is asked.
  var queryTimeout = Duration.seconds(1)
  /// The interval between two queries.
  var queryInterval = Duration.milliseconds(250)

  /// The largest attachment that every participant fetches without a request from the user, in bytes.
  var eagerLimit: Int64 = 1 << 20
  /// The total size of the attachments that one participant keeps without a request from the user, in bytes.
  var eagerKeepLimit: Int64 = 4 << 30
  /// The scale of the random delay that keeps many participants from asking one holder at once.
  var eagerDelay = Duration.milliseconds(200)

  /// The shortest time after which a request counts as lost.
  var requestTimeout = Duration.milliseconds(500)
  /// The timeout of the first request, before anything is known of the path.
  var firstTimeout = Duration.seconds(2)
  /// The same for pieces that a read waits for.
  var urgentTimeout = Duration.milliseconds(250)
  var firstUrgentTimeout = Duration.seconds(1)
  /// The delay that our requests may add to the path's queue: as in LEDBAT (RFC 6817), which keeps a bulk
  /// transfer from delaying everything else.
  var queueingTarget = Duration.milliseconds(25)
  /// The initial window of a holder, and the limit of each window and of all together; in pieces.
  var initialWindow = 4.0
  var windowLimit = 32.0
  /// The number of pieces that reads wait for and that are requested beyond the windows.
  var urgentLimit = 4
  /// The chunks after a reader's position that come before its preferred ranges: 4 MiB.
  var readAhead = 128
  /// The time for which no participant may have a requested attachment, or a part that a read waits for, before the
  /// request fails.
  var unavailableAfter = Duration.seconds(10)

  /// The pieces given to others per second, and at once: 20 MiB a second.
  var servedPerSecond = 640.0
  var servedBurst = 16.0

  func summaryInterval(participants: Int) -> Duration {
    summaryInterval * max(1, Double(participants) / Double(smallParty))
  }
}
