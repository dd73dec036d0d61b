// The same for test programs (cmake/FairleadModule.cmake).
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "library_headers.h"
