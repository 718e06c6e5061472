import Testing
import Timekeeping
