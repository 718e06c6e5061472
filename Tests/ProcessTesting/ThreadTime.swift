import Glibc

/// The processor time that the calling thread has used, whatever else the machine does.
package enum ThreadTime {
  package static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
